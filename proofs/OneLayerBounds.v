(** What Theorem 4 says about equality and disjointness, for every one-layer model on the grid.

    In words. A model has one attention layer with H heads of m coordinates, on the grid of multiples of 1/L from -L to L. Its
    softmax is stepwise: subtract the maximum, round each exponential, divide by the exact sum, round. Both roundings of the
    project are covered, down and to the nearest. Let [message_bits] be the bits of the protocol of [OneLayer].
    - If the model decides whether two halves of h symbols are equal, then S^h <= 2^message_bits. With the
      bits of the answer, ceil(log2 C) for C classes, it also holds with S^h + 1 in place of S^h.
    - If it decides whether two subsets of h elements meet, then h <= message_bits.
    Bounded bracket words are in [Dyck].

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 12, Facts 1 and 4.
    In Python: [equality-state], its file _one_layer_cost, and [disjointness-one-layer].

    The hypotheses, for a real model: those of [OneLayer], in steps of the grid. A score and a value are numbers of the grid, so
    at most L^2 steps. The question is the last token (one number below its vocabulary), or its vector (d numbers of p bits). *)

From Coq Require Import List Arith Lia ZArith FinFun.
From Seqsep Require Import Words Protocols OneLayer.
Import ListNotations.
Open Scope Z_scope.

(** One attention layer on the grid. [nearest] is the rounding of the weights. *)
Record grid_layer (Token Answer : Type) (H m kq dq : nat) (L : Z) := {
  ask : Token -> list nat;
  score : list nat -> nat -> nat -> Token -> Z;
  value : list nat -> nat -> nat -> nat -> Token -> Z;
  expo : Z -> Z;
  finish : list nat -> list Z -> Answer;
  ask_fits : forall t, fits kq dq (ask t);
  score_on_grid : forall qs h i t, - (L * L) <= score qs h i t <= L * L;
  value_on_grid : forall qs h j i t, - (L * L) <= value qs h j i t <= L * L;
  expo_on_grid : forall d, 0 <= expo d <= L
}.

Arguments ask {Token Answer H m kq dq L}.
Arguments score {Token Answer H m kq dq L}.
Arguments value {Token Answer H m kq dq L}.
Arguments expo {Token Answer H m kq dq L}.
Arguments finish {Token Answer H m kq dq L}.
Arguments ask_fits {Token Answer H m kq dq L}.
Arguments score_on_grid {Token Answer H m kq dq L}.
Arguments value_on_grid {Token Answer H m kq dq L}.
Arguments expo_on_grid {Token Answer H m kq dq L}.

Definition weight_of (nearest : bool) (L : Z) : Z -> Z -> Z := if nearest then nearest_weight L else floor_weight L.
Definition most_weight (nearest : bool) (N : nat) (L : Z) : Z := if nearest then L + Z.of_nat N / 2 else L.

(** The bits of the protocol, as in Python's [message_bits] with the variant one-learns. *)
Definition message_bits (nearest : bool) (N H m kq dq : nat) (L : Z) : nat :=
  (dq * bits kq + 2 * H * bit_length (2 * (L * L)) + 2 * H * bit_length (Z.of_nat N * L)
   + m * H * bit_length (2 * (most_weight nearest N L * (L * L))))%nat.

Section Layer.
  Variables Token Answer : Type.
  Variables (N H m kq dq : nat) (L : Z) (nearest : bool).
  Variable g : grid_layer Token Answer H m kq dq L.
  Hypothesis at_least_one : (1 <= N)%nat.
  Hypothesis question_kind : (1 <= kq)%nat.
  Hypothesis L_positive : 1 <= L.

  (** The answer of the forward pass at the last of N positions. *)
  Definition answer (w : nat -> Token) : Answer :=
    forward Token Answer N H m (L * L) (ask g) (score g) (value g) (expo g) (weight_of nearest L) (finish g) w.

  Lemma forward_ext : forall w w', (forall i, (i < N)%nat -> w i = w' i) -> answer w = answer w'.
  Proof using at_least_one.
    clear question_kind L_positive. intros w w' E. unfold answer, forward. rewrite (E (N - 1)%nat) by lia. f_equal.
    apply map_ext. intros c.
    assert (Em : forall h, maximum Token N (L * L) (score g) (ask g (w' (N - 1)%nat)) w h =
                           maximum Token N (L * L) (score g) (ask g (w' (N - 1)%nat)) w' h).
    { intros h. apply greatest_ext. intros i Hi. apply in_seq in Hi. rewrite E by lia. reflexivity. }
    assert (En : forall h, normaliser Token N (L * L) (score g) (expo g) (ask g (w' (N - 1)%nat)) w h =
                           normaliser Token N (L * L) (score g) (expo g) (ask g (w' (N - 1)%nat)) w' h).
    { intros h. unfold normaliser. rewrite Em. apply total_ext. intros i Hi. apply in_seq in Hi.
      unfold exponentials. rewrite E by lia. reflexivity. }
    unfold value_sum. rewrite Em, En. apply total_ext. intros i Hi. apply in_seq in Hi.
    unfold exponentials. rewrite E by lia. reflexivity.
  Qed.

  Lemma weight_of_nonnegative : forall e z, 0 <= e -> 0 <= z -> 0 <= weight_of nearest L e z.
  Proof.
    intros e z He Hz. unfold weight_of, nearest_weight, floor_weight. destruct nearest.
    - destruct (Z.eq_dec z 0) as [->|]; [rewrite Z.mul_0_r, Zdiv_0_r; lia|apply Z.div_pos; nia].
    - destruct (Z.eq_dec z 0) as [->|]; [rewrite Zdiv_0_r; lia|apply Z.div_pos; nia].
  Qed.

  (** [OneLayer] asks for a weight that is never negative: cut off what never occurs. *)
  Definition safe_weight (e z : Z) : Z := Z.max 0 (weight_of nearest L e z).

  Lemma safe_weight_right : forall qs w h l,
    safe_weight (exponentials Token (score g) (expo g) qs w h (maximum Token N (L * L) (score g) qs w h) l)
      (normaliser Token N (L * L) (score g) (expo g) qs w h) =
    weight_of nearest L (exponentials Token (score g) (expo g) qs w h (maximum Token N (L * L) (score g) qs w h) l)
      (normaliser Token N (L * L) (score g) (expo g) qs w h).
  Proof.
    intros. unfold safe_weight. apply Z.max_r. apply weight_of_nonnegative.
    - apply (expo_on_grid g).
    - apply total_nonneg. intros i. apply (expo_on_grid g).
  Qed.

  Lemma safe_weights_at_most : forall qs w h,
    total (seq 0 N) (fun i => safe_weight
      (exponentials Token (score g) (expo g) qs w h (maximum Token N (L * L) (score g) qs w h) i)
      (normaliser Token N (L * L) (score g) (expo g) qs w h)) <= most_weight nearest N L.
  Proof.
    intros qs w h. rewrite (total_ext _ _ _ (fun i _ => safe_weight_right qs w h i)).
    unfold weight_of, most_weight. destruct nearest.
    - pose proof (nearest_weights (seq 0 N)
        L (exponentials Token (score g) (expo g) qs w h (maximum Token N (L * L) (score g) qs w h))
        (normaliser Token N (L * L) (score g) (expo g) qs w h)) as P.
      rewrite seq_length in P. apply P; [lia|intros i; apply (expo_on_grid g)|reflexivity].
    - apply (floor_weights (seq 0 N)); [lia|intros i; apply (expo_on_grid g)|reflexivity].
  Qed.

  Lemma answer_safe : forall w,
    forward Token Answer N H m (L * L) (ask g) (score g) (value g) (expo g) safe_weight (finish g) w = answer w.
  Proof.
    intros w. unfold answer, forward. f_equal. apply map_ext. intros c. unfold value_sum.
    apply total_ext. intros i _. rewrite safe_weight_right. reflexivity.
  Qed.

  Variable alice_has : nat -> bool.
  Hypothesis bob_asks : alice_has (N - 1) = false.

  Definition split (x y : nat -> Token) (i : nat) : Token := if alice_has i then x i else y i.

  (** Theorem 4 on the grid: Bob learns the answer, and the bits are [message_bits]. *)
  Theorem grid_protocol : exists p out,
    keeps_to_range (nat -> Token) (nat -> Token) p /\
    bob_learns _ _ _ (fun x y => answer (split x y)) p out /\
    cost _ _ p = message_bits nearest N H m kq dq L.
  Proof.
    assert (HW : L <= most_weight nearest N L).
    { unfold most_weight. destruct nearest; [|lia]. pose proof (Z.div_pos (Z.of_nat N) 2 ltac:(lia) ltac:(lia)). lia. }
    set (p := one_learns Token N H m (L * L) L (L * L) (most_weight nearest N L) kq dq (ask g) (score g) (value g) (expo g)
                safe_weight alice_has).
    exists p, (read_answer Token Answer N H m (L * L) (L * L) (most_weight nearest N L) dq (score g) (value g) (expo g)
                safe_weight (finish g) alice_has).
    destruct (one_learns_bits Token N H m (L * L) L (L * L) (most_weight nearest N L) kq dq (ask g) (score g) (value g) (expo g)
                safe_weight at_least_one question_kind alice_has) as [C R].
    split; [exact R|split].
    - intros x y. unfold split.
      pose proof (one_layer_protocol Token Answer N H m (L * L) L (L * L) (most_weight nearest N L) kq dq (ask g) (score g)
        (value g) (expo g) safe_weight (finish g) at_least_one (ask_fits g) question_kind) as P.
      unfold bob_learns, layer, joined in P. rewrite <- answer_safe. apply P; auto; try nia.
      + apply (score_on_grid g).
      + apply (value_on_grid g).
      + apply (expo_on_grid g).
      + intros e z. unfold safe_weight. lia.
      + apply safe_weights_at_most.
    - unfold p. rewrite C. unfold first_bits, message_bits, number_bits, normaliser_bits, value_sum_bits. lia.
  Qed.

  (** A fooling set of inputs of a model is at most 2^message_bits: any partition, any function. *)
  Theorem one_layer_fooling_set : forall v (set : list ((nat -> Token) * (nat -> Token))),
    is_fooling _ _ _ (fun x y => answer (split x y)) v set -> NoDup set ->
    (length set <= 2 ^ message_bits nearest N H m kq dq L)%nat.
  Proof.
    intros v set Hf Hn. destruct grid_protocol as (p & out & R & Hb & C). rewrite <- C.
    eapply fooling_set; eauto.
  Qed.

  (** The variant in which Bob sends the class of his answer: both learn it, for ceil(log2 C) bits more. *)
  Theorem grid_protocol_sends : forall classes (class_of : Answer -> nat) answer_of,
    (1 <= classes)%nat -> (forall a, (class_of a < classes)%nat) -> (forall a, answer_of (class_of a) = a) ->
    exists p out out',
    keeps_to_range (nat -> Token) (nat -> Token) p /\
    bob_learns _ _ _ (fun x y => answer (split x y)) p out /\ alice_learns _ _ _ (fun x y => answer (split x y)) p out' /\
    cost _ _ p = (message_bits nearest N H m kq dq L + bits classes)%nat.
  Proof.
    intros classes class_of answer_of Hclasses Hclass Hanswer.
    assert (HW : L <= most_weight nearest N L).
    { unfold most_weight. destruct nearest; [|lia]. pose proof (Z.div_pos (Z.of_nat N) 2 ltac:(lia) ltac:(lia)). lia. }
    destruct (one_learns_and_sends_bits Token Answer N H m (L * L) L (L * L) (most_weight nearest N L) kq dq (ask g) (score g)
      (value g) (expo g) safe_weight (finish g) at_least_one question_kind alice_has classes class_of Hclasses) as [C R].
    pose proof (one_layer_protocol_sends Token Answer N H m (L * L) L (L * L) (most_weight nearest N L) kq dq (ask g) (score g)
      (value g) (expo g) safe_weight (finish g) at_least_one (ask_fits g) question_kind) as P.
    destruct P with (classes := classes) (class_of := class_of) (answer_of := answer_of) (alice_has := alice_has) as [Pb Pa];
      auto; try nia.
    - apply (score_on_grid g).
    - apply (value_on_grid g).
    - apply (expo_on_grid g).
    - intros e z. unfold safe_weight. lia.
    - apply safe_weights_at_most.
    - do 2 eexists. exists (fun _ t => answer_of (hd 0%nat (skipn (m * H) (rest H dq t)))).
      split; [exact R|split; [|split]].
      + intros x y. unfold split. rewrite <- answer_safe. apply Pb.
      + intros x y. unfold split. rewrite <- answer_safe. apply Pa.
      + rewrite C. unfold first_bits, message_bits, number_bits, normaliser_bits, value_sum_bits. lia.
  Qed.

  (** A fooling set of inputs that are written as values of another type. *)
  Lemma encoded : forall {X Y : Type} (enc : X -> nat -> Token) (enc' : Y -> nat -> Token) v (set : list (X * Y)),
    is_fooling _ _ _ (fun x y => answer (split (enc x) (enc' y))) v set -> NoDup set ->
    is_fooling _ _ _ (fun x y => answer (split x y)) v (map (fun s => (enc (fst s), enc' (snd s))) set) /\
    NoDup (map (fun s => (enc (fst s), enc' (snd s))) set).
  Proof.
    intros X Y enc enc' v set [Hv Hf] Hn. split.
    - split.
      + intros s Hs. apply in_map_iff in Hs. destruct Hs as ([x y] & <- & Hs). apply (Hv _ Hs).
      + intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'.
        destruct Hs as ([x y] & <- & Hs), Hs' as ([x' y'] & <- & Hs'). simpl.
        apply (Hf _ _ Hs Hs'). intros E. apply Ne. injection E as -> ->. reflexivity.
    - assert (G : forall l, incl l set -> NoDup l -> NoDup (map (fun s => (enc (fst s), enc' (snd s))) l)).
      { induction l as [|s l IH]; intros Hl Hnl; simpl; [constructor|]. inversion Hnl; subst. constructor.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (s' & E & Hs').
          assert (Hs : In s set) by (apply Hl; left; reflexivity).
          assert (Hss' : In s' set) by (apply Hl; right; exact Hs').
          injection E as Ex Ey. pose proof (Hv _ Hs) as V. pose proof (Hv _ Hss') as V'. simpl in V, V'.
          assert (Ne : s <> s') by (intros ->; contradiction).
          destruct (Hf s s' Hs Hss' Ne) as [F|F]; apply F; simpl; congruence.
        - apply IH; auto. intros z Hz. apply Hl. right. exact Hz. }
      apply G; auto. intros z Hz. exact Hz.
  Qed.

  Theorem one_layer_fooling : forall {X Y : Type} (enc : X -> nat -> Token) (enc' : Y -> nat -> Token) v (set : list (X * Y)),
    is_fooling _ _ _ (fun x y => answer (split (enc x) (enc' y))) v set -> NoDup set ->
    (length set <= 2 ^ message_bits nearest N H m kq dq L)%nat.
  Proof.
    intros X Y enc enc' v set Hf Hn. destruct (encoded enc enc' v set Hf Hn) as [Hf' Hn'].
    rewrite <- (map_length (fun s => (enc (fst s), enc' (snd s))) set). apply (one_layer_fooling_set v); auto.
  Qed.

  (** If both learn the answer, an input with another answer counts too. *)
  Theorem one_layer_fooling_both : forall {X Y : Type}
  (enc : X -> nat -> Token) (enc' : Y -> nat -> Token) v (set : list (X * Y))
    x y classes (class_of : Answer -> nat) answer_of,
    is_fooling _ _ _ (fun x y => answer (split (enc x) (enc' y))) v set -> NoDup set ->
    answer (split (enc x) (enc' y)) <> v ->
    (1 <= classes)%nat -> (forall a, (class_of a < classes)%nat) -> (forall a, answer_of (class_of a) = a) ->
    (S (length set) <= 2 ^ (message_bits nearest N H m kq dq L + bits classes))%nat.
  Proof.
    intros X Y enc enc' v set x y classes class_of answer_of Hf Hn Hxy H1 H2 H3.
    destruct (encoded enc enc' v set Hf Hn) as [Hf' Hn'].
    destruct (grid_protocol_sends classes class_of answer_of H1 H2 H3) as (p & out & out' & R & Hb & Ha & C).
    rewrite <- C, <- (map_length (fun s => (enc (fst s), enc' (snd s))) set).
    eapply (fooling_set_both _ _ _ (fun x y => answer (split x y)) p out out' v _ (enc x) (enc' y)); eauto.
  Qed.
End Layer.

(** Equality of the two halves of a word of 2 h symbols below S, answer [yes] or not. Alice has the first half. *)
Section Equality.
  Variables (h S H m kq dq : nat) (L : Z) (nearest : bool) (Answer : Type) (yes : Answer).
  Variable g : grid_layer nat Answer H m kq dq L.

  Definition decides_equality : Prop :=
    forall x y, In x (words (seq 0 S) h) -> In y (words (seq 0 S) h) ->
    (answer nat Answer (2 * h) H m kq dq L nearest g (fun i => nth i (x ++ y) 0%nat) = yes <-> x = y).

  Hypothesis a_half : (1 <= h)%nat.

  Let enc (x : list nat) (i : nat) : nat := nth i x 0%nat.
  Let enc' (y : list nat) (i : nat) : nat := nth (i - h) y 0%nat.
  Let first_half (i : nat) : bool := (i <? h)%nat.

  Lemma bob_has_the_last : first_half (2 * h - 1) = false.
  Proof. apply Nat.ltb_ge. lia. Qed.

  Lemma halves_are_words : forall x y, In x (words (seq 0 S) h) ->
    answer nat Answer (2 * h) H m kq dq L nearest g (split nat first_half (enc x) (enc' y)) =
    answer nat Answer (2 * h) H m kq dq L nearest g (fun i => nth i (x ++ y) 0%nat).
  Proof.
    intros x y Hx. apply in_words in Hx. destruct Hx as [Lx _]. apply forward_ext; [lia|]. intros i Hi.
    unfold split, first_half, enc, enc'. destruct (Nat.ltb_spec i h).
    - rewrite app_nth1 by lia. reflexivity.
    - rewrite app_nth2 by lia. rewrite Lx. reflexivity.
  Qed.

  Lemma equality_fools : decides_equality -> is_fooling _ _ _ (fun x y =>
    answer nat Answer (2 * h) H m kq dq L nearest g (split nat first_half (enc x) (enc' y))) yes (diagonal h S).
  Proof.
    intros Hd. split.
    - intros s Hs. apply in_map_iff in Hs. destruct Hs as (w & <- & Hw). simpl. rewrite halves_are_words by exact Hw.
      apply Hd; auto.
    - intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'. destruct Hs as (w & <- & Hw), Hs' as (w' & <- & Hw').
      left. simpl. rewrite halves_are_words by exact Hw. intros Y. apply Hd in Y; auto. subst. contradiction.
  Qed.

  Theorem equality_one_layer : (1 <= kq)%nat -> 1 <= L -> decides_equality ->
    (S ^ h <= 2 ^ message_bits nearest (2 * h) H m kq dq L)%nat.
  Proof.
    intros Hk HL Hd. rewrite <- (diagonal_length h S).
    apply (one_layer_fooling nat Answer (2 * h) H m kq dq L nearest g ltac:(lia) Hk HL first_half bob_has_the_last enc
      enc' yes);
      [apply equality_fools; exact Hd|apply diagonal_nodup].
  Qed.

  (** If Bob sends his answer, one of C classes, one more word is counted. *)
  Theorem equality_one_layer_both : forall classes (class_of : Answer -> nat) answer_of,
    (2 <= S)%nat -> (1 <= kq)%nat -> 1 <= L -> decides_equality ->
    (1 <= classes)%nat -> (forall a, (class_of a < classes)%nat) -> (forall a, answer_of (class_of a) = a) ->
    (bits (S ^ h + 1) <= message_bits nearest (2 * h) H m kq dq L + bits classes)%nat.
  Proof.
    intros classes class_of answer_of HS Hk HL Hd H1 H2 H3. apply fits_in_bits; [lia|].
    rewrite Nat.add_1_r, <- (diagonal_length h S).
    assert (W : forall a, (a < S)%nat -> In (repeat a h) (words (seq 0 S) h)) by (intros; apply repeated_is_half; assumption).
    apply (one_layer_fooling_both nat Answer (2 * h) H m kq dq L nearest g ltac:(lia) Hk HL first_half bob_has_the_last
      enc enc' yes
             (diagonal h S) (repeat 0%nat h) (repeat 1%nat h) classes class_of answer_of);
               auto using diagonal_nodup, equality_fools.
    rewrite halves_are_words by (apply W; lia). intros Y. apply Hd in Y; [|apply W; lia|apply W; lia].
    destruct h; [lia|]. discriminate.
  Qed.
End Equality.

(** Disjointness of two subsets of h elements, as words of bits 0 and 1. Alice has the first. *)
Section Disjointness.
  Variables (h H m kq dq : nat) (L : Z) (nearest : bool) (Answer : Type) (disjoint : Answer).
  Variable g : grid_layer bool Answer H m kq dq L.

  Definition decides_disjointness : Prop :=
    forall x y, length x = h -> length y = h ->
    (answer bool Answer (2 * h) H m kq dq L nearest g (fun i => nth i (x ++ y) false) = disjoint <-> meet x y = false).

  Theorem disjointness_one_layer : (1 <= h)%nat -> (1 <= kq)%nat -> 1 <= L -> decides_disjointness ->
    (h <= message_bits nearest (2 * h) H m kq dq L)%nat.
  Proof.
    intros Hh Hk HL Hd. apply (Nat.pow_le_mono_r_iff 2); [lia|]. rewrite <- (complements_length h).
    assert (Hb : (2 * h - 1 <? h)%nat = false) by (apply Nat.ltb_ge; lia).
    set (enc := fun (x : list bool) i => nth i x false). set (enc' := fun (y : list bool) i => nth (i - h) y false).
    assert (E : forall x y, length x = h ->
      answer bool Answer (2 * h) H m kq dq L nearest g (split bool (fun i => (i <? h)%nat) (enc x) (enc' y)) =
      answer bool Answer (2 * h) H m kq dq L nearest g (fun i => nth i (x ++ y) false)).
    { intros x y Lx. apply forward_ext; [lia|]. intros i Hi.
      unfold split, enc, enc'. destruct (Nat.ltb_spec i h).
      - rewrite app_nth1 by lia. reflexivity.
      - rewrite app_nth2 by lia. rewrite Lx. reflexivity. }
    assert (Hl : forall s, In s (complements h) -> length (fst s) = h /\ length (snd s) = h).
    { intros s Hs. apply in_map_iff in Hs. destruct Hs as (x & <- & Hx). apply in_words in Hx. simpl.
      rewrite map_length. tauto. }
    destruct (complements_fool h) as [Hv Hf].
    apply (one_layer_fooling bool Answer (2 * h) H m kq dq L nearest g ltac:(lia) Hk HL (fun i => (i <? h)%nat) Hb
             enc enc' disjoint (complements h)); [|apply complements_nodup].
    split.
    - intros s Hs. destruct (Hl s Hs). rewrite E by auto. apply Hd; auto.
    - intros s s' Hs Hs' Ne. destruct (Hl s Hs), (Hl s' Hs').
      destruct (Hf s s' Hs Hs' Ne) as [W|W]; [left|right]; rewrite E by auto; intros Y; apply Hd in Y; auto.
  Qed.
End Disjointness.

(** A model that meets every hypothesis: one head of width 1 whose scores are 0, and which counts the token [true]. *)
Definition uniform_layer : grid_layer bool bool 1 1 2 1 4.
Proof.
  refine {| ask := fun t : bool => [if t then 1%nat else 0%nat];
            score := fun _ _ _ _ => 0; value := fun _ _ _ _ (t : bool) => if t then 4 else 0;
            expo := fun d => if d =? 0 then 4 else 0; finish := fun _ sums => 0 <? hd 0 sums |}.
  - intros t. split; [reflexivity|]. intros v [<-|[]]. destruct t; lia.
  - intros. lia.
  - intros. destruct t; lia.
  - intros. destruct (d =? 0); lia.
Defined.

Example uniform_layer_answers :
  answer bool bool 2 1 1 2 1 4 false uniform_layer (fun i => nth i [false; true] false) = true /\
  answer bool bool 2 1 1 2 1 4 false uniform_layer (fun i => nth i [false; false] false) = false.
Proof. split; vm_compute; reflexivity. Qed.

(** It decides equality of halves over one symbol, so the hypotheses of [equality_one_layer] are met too. *)
Definition constant_layer : grid_layer nat bool 1 1 1 1 1.
Proof.
  refine {| ask := fun _ : nat => [0%nat]; score := fun _ _ _ _ => 0; value := fun _ _ _ _ _ => 0; expo := fun _ => 1;
            finish := fun _ _ => true |}; intros; try lia.
  split; [reflexivity|]. intros v [<-|[]]. lia.
Defined.

Example a_layer_decides_equality : decides_equality 1 1 1 1 1 1 1 false bool true constant_layer.
Proof.
  intros x y Hx Hy. simpl in Hx, Hy. destruct Hx as [<-|[]], Hy as [<-|[]]. split; auto.
Qed.

(** A layer on the grid meets the hypotheses, with both roundings: two positions, and two classes of answers. *)
Definition class_of_bool (a : bool) : nat := if a then 1%nat else 0%nat.
Definition bool_of_class (c : nat) : bool := (c =? 1)%nat.

Lemma classes_of_bool : (1 <= 2)%nat /\ (forall a, (class_of_bool a < 2)%nat) /\ forall a, bool_of_class (class_of_bool a) = a.
Proof. split; [lia|split; intros [|]; cbn; auto]. Qed.

Notation uniform nearest := (fun x y => answer bool bool 2 1 1 2 1 4 nearest uniform_layer (split bool Nat.even x y)).

Example uniform_layer_meets : forall nearest, (exists p out, keeps_to_range _ _ p /\ bob_learns _ _ _ (uniform nearest) p out /\
    cost _ _ p = message_bits nearest 2 1 1 2 1 4) /\
  exists p out out', keeps_to_range _ _ p /\ bob_learns _ _ _ (uniform nearest) p out /\
    alice_learns _ _ _ (uniform nearest) p out' /\ cost _ _ p = (message_bits nearest 2 1 1 2 1 4 + bits 2)%nat.
Proof.
  intros nearest. destruct classes_of_bool as (C1 & C2 & C3). split.
  - apply (grid_protocol bool bool 2 1 1 2 1 4 nearest uniform_layer ltac:(lia) ltac:(lia) ltac:(lia) Nat.even eq_refl).
  - apply (grid_protocol_sends bool bool 2 1 1 2 1 4 nearest uniform_layer ltac:(lia) ltac:(lia) ltac:(lia) Nat.even eq_refl
      2 class_of_bool bool_of_class C1 C2 C3).
Qed.

(** Its inputs without [true] are a fooling set of one input. *)
Example one_input_fools : let set := [((fun _ : nat => false), (fun _ : nat => false))] in
  (length set <= 2 ^ message_bits false 2 1 1 2 1 4)%nat /\ (length set <= 2 ^ message_bits false 2 1 1 2 1 4)%nat /\
  (S (length set) <= 2 ^ (message_bits false 2 1 1 2 1 4 + bits 2))%nat.
Proof.
  intros set. destruct classes_of_bool as (C1 & C2 & C3).
  assert (F : is_fooling _ _ _ (uniform false) false set).
  { split; [intros s [<-|[]]; vm_compute; reflexivity|]. intros s s' [<-|[]] [<-|[]] Ne. contradiction. }
  assert (N : NoDup set) by (repeat constructor; intros []). split; [|split].
  - apply (one_layer_fooling_set bool bool 2 1 1 2 1 4 false uniform_layer ltac:(lia) ltac:(lia) ltac:(lia) Nat.even eq_refl
      false set F N).
  - apply (one_layer_fooling bool bool 2 1 1 2 1 4 false uniform_layer ltac:(lia) ltac:(lia) ltac:(lia) Nat.even eq_refl
      (fun x => x) (fun y => y) false set F N).
  - apply (one_layer_fooling_both bool bool 2 1 1 2 1 4 false uniform_layer ltac:(lia) ltac:(lia) ltac:(lia) Nat.even eq_refl
      (fun x => x) (fun y => y) false set (fun _ => true) (fun _ => true) 2 class_of_bool bool_of_class F N); auto.
    vm_compute. discriminate.
Qed.

(** Layers that decide equality and disjointness of halves of one token, with both roundings. Their value sums differ: for
    equality the first token counts 1 and the second -1; for disjointness each [true] counts 1. *)
Definition difference_layer : grid_layer nat bool 1 1 1 1 4.
Proof.
  refine {| ask := fun _ : nat => [0%nat]; score := fun _ _ _ _ => 0;
            value := fun _ _ _ i t => (if (i =? 0)%nat then 1 else -1) * (if (t =? 0)%nat then 0 else 1);
            expo := fun d => if d =? 0 then 4 else 0; finish := fun _ sums => hd 0 sums =? 0 |}; intros; try lia.
  - split; [reflexivity|]. intros v [<-|[]]. lia.
  - destruct (i =? 0)%nat, (t =? 0)%nat; lia.
  - destruct (d =? 0); lia.
Defined.

Definition meeting_layer : grid_layer bool bool 1 1 1 1 4.
Proof.
  refine {| ask := fun _ : bool => [0%nat]; score := fun _ _ _ _ => 0; value := fun _ _ _ _ (t : bool) => if t then 1 else 0;
            expo := fun d => if d =? 0 then 4 else 0; finish := fun _ sums => hd 0 sums <? 4 |}; intros; try lia.
  - split; [reflexivity|]. intros v [<-|[]]. lia.
  - destruct t; lia.
  - destruct (d =? 0); lia.
Defined.

Example layers_decide : forall nearest, (2 ^ 1 <= 2 ^ message_bits nearest (2 * 1) 1 1 1 1 4)%nat /\
  (bits (2 ^ 1 + 1) <= message_bits nearest (2 * 1) 1 1 1 1 4 + bits 2)%nat /\ (1 <= message_bits nearest (2 * 1) 1 1 1 1
    4)%nat.
Proof.
  intros nearest. destruct classes_of_bool as (C1 & C2 & C3).
  assert (E : decides_equality 1 2 1 1 1 1 4 nearest bool true difference_layer).
  { intros x y [<-|[<-|[]]] [<-|[<-|[]]]; destruct nearest; vm_compute; split; intros Q; try reflexivity; discriminate Q. }
  split; [|split].
  - apply (equality_one_layer 1 2 1 1 1 1 4 nearest bool true difference_layer); auto; lia.
  - apply (equality_one_layer_both 1 2 1 1 1 1 4 nearest bool true difference_layer ltac:(lia) 2 class_of_bool bool_of_class);
      auto; lia.
  - apply (disjointness_one_layer 1 1 1 1 1 4 nearest bool true meeting_layer); try lia.
    intros [|a [|u x]] [|c [|v y]] Lx Ly; try discriminate Lx; try discriminate Ly.
    destruct a, c, nearest; vm_compute; split; intros Q; try reflexivity; discriminate Q.
Qed.
