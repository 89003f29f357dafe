(** Theorem 4: every one-layer attention model gives a protocol, and its bits are those of the project's ledger.

    In words. Alice has some positions of the input, Bob has the others and the last one. They compute the answer of a model
    with one attention layer. They send the question, the greatest score of each head, the sum of its exponentials, and the
    sums of weights times values. The model has H heads with values of m coordinates. Numbers have p bits, exponentials are at
    most L, and the weights of a head add up to at most W. A value has the magnitude V at most. The bits are these:
    - The question, 2 H p for the maxima, and 2 H bit_length(N L) for the normalisers.
    - If Bob learns the answer: m H bit_length(2 W V) for Alice's sums.
    - If he then sends it: ceil(log2 C) more, for C classes.
    - If he sends his sums in its place: m H bit_length(2 W V) more.
    On the project's grid V = L^2 steps, and p = bit_length(2 L^2).

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 4 and appendix D.
    In Python: [one-layer-protocol], variants one-learns, one-learns-and-sends and both-exchange; [message_bits].

    The hypotheses, for a real model.
    - [score] and [value] are any functions of the question, the head, the position and the token there. So embeddings,
      position codes and masks of any form are allowed, and both are bounded: the grid ends at B and V.
    - [expo] is any rounded exponential, with values from 0 to L. [weight] is any rounded quotient, not negative.
    - [weights_at_most]: the weights of one head add up to at most W. This is proved for both roundings of the project:
      W = L if quotients are rounded down ([floor_weights]), and L + floor(N/2) if to the nearest ([nearest_weights]).
    - Sums are exact whole numbers, so their order does not matter. [RunningSums] has the other case.
    - [finish] is any function of the question and of all value sums: the output matrix, the residual connection, the
      feed-forward part and the read-out. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words Protocols.
Import ListNotations.

(** Parts of a list of known length. *)
Lemma firstn_exact : forall {A} (l r : list A) n, length l = n -> firstn n (l ++ r) = l.
Proof. intros A l r n <-. rewrite firstn_app, Nat.sub_diag, firstn_O, firstn_all, app_nil_r. reflexivity. Qed.
Lemma skipn_exact : forall {A} (l r : list A) n, length l = n -> skipn n (l ++ r) = r.
Proof. intros A l r n <-. rewrite skipn_app, Nat.sub_diag, skipn_all, skipn_O. reflexivity. Qed.

Section Messages.
  Variables X Y : Type.

  (** Say [n] numbers below [k]; a greater number is cut off to k - 1. *)
  Fixpoint alice_says (k n : nat) (f : X -> list nat) (next : list nat -> protocol X Y) : protocol X Y :=
    match n with
    | 0 => next []
    | S n => Alice _ _ k (fun x => Nat.min (hd 0 (f x)) (k - 1))
               (fun i => alice_says k n (fun x => tl (f x)) (fun l => next (i :: l)))
    end.

  Fixpoint bob_says (k n : nat) (f : Y -> list nat) (next : list nat -> protocol X Y) : protocol X Y :=
    match n with
    | 0 => next []
    | S n => Bob _ _ k (fun y => Nat.min (hd 0 (f y)) (k - 1))
               (fun i => bob_says k n (fun y => tl (f y)) (fun l => next (i :: l)))
    end.

  Definition fits (k n : nat) (l : list nat) : Prop := length l = n /\ forall v, In v l -> v < k.

  Lemma alice_says_transcript : forall k n f next x y, fits k n (f x) ->
    transcript _ _ (alice_says k n f next) x y = f x ++ transcript _ _ (next (f x)) x y.
  Proof.
    induction n as [|n IH]; intros f next x y [L H]; simpl.
    - destruct (f x); [reflexivity|discriminate].
    - assert (hd 0 (f x) < k) by (destruct (f x); [discriminate|apply H; left; reflexivity]).
      rewrite Nat.min_l by lia. rewrite IH.
      + destruct (f x) as [|v l]; [discriminate|]. reflexivity.
      + split; destruct (f x); simpl in *; try discriminate; [lia|]. intros v Hv. apply H. right. exact Hv.
  Qed.

  Lemma bob_says_transcript : forall k n f next x y, fits k n (f y) ->
    transcript _ _ (bob_says k n f next) x y = f y ++ transcript _ _ (next (f y)) x y.
  Proof.
    induction n as [|n IH]; intros f next x y [L H]; simpl.
    - destruct (f y); [reflexivity|discriminate].
    - assert (hd 0 (f y) < k) by (destruct (f y); [discriminate|apply H; left; reflexivity]).
      rewrite Nat.min_l by lia. rewrite IH.
      + destruct (f y) as [|v l]; [discriminate|]. reflexivity.
      + split; destruct (f y); simpl in *; try discriminate; [lia|]. intros v Hv. apply H. right. exact Hv.
  Qed.

  Lemma alice_says_range : forall k n f next, 1 <= k -> (forall l, keeps_to_range _ _ (next l)) ->
    keeps_to_range _ _ (alice_says k n f next).
  Proof. induction n as [|n IH]; intros f next Hk H; simpl; auto. split; [intros x; lia|intros; auto]. Qed.

  Lemma bob_says_range : forall k n f next, 1 <= k -> (forall l, keeps_to_range _ _ (next l)) ->
    keeps_to_range _ _ (bob_says k n f next).
  Proof. induction n as [|n IH]; intros f next Hk H; simpl; auto. split; [intros y; lia|intros; auto]. Qed.

  Lemma alice_says_cost : forall k n f next c, 1 <= k -> (forall l, cost _ _ (next l) = c) ->
    cost _ _ (alice_says k n f next) = n * bits k + c.
  Proof.
    induction n as [|n IH]; intros f next c Hk H; simpl; auto.
    rewrite (most_below_const _ k (n * bits k + c)); auto. lia.
  Qed.

  Lemma bob_says_cost : forall k n f next c, 1 <= k -> (forall l, cost _ _ (next l) = c) ->
    cost _ _ (bob_says k n f next) = n * bits k + c.
  Proof.
    induction n as [|n IH]; intros f next c Hk H; simpl; auto.
    rewrite (most_below_const _ k (n * bits k + c)); auto. lia.
  Qed.
End Messages.

Open Scope Z_scope.

(** The bits of a number from 0 to [most]: the bit_length of [most]. *)
Definition bit_length (most : Z) : nat := Z.to_nat (Z.log2 most + 1).

Lemma below_bit_length : forall z most, 0 <= z <= most -> 1 <= most -> (Z.to_nat z < 2 ^ bit_length most)%nat.
Proof.
  intros z most H H1. unfold bit_length.
  pose proof (Z.log2_spec most ltac:(lia)) as [_ U]. pose proof (Z.log2_nonneg most).
  assert (E : Z.of_nat (2 ^ Z.to_nat (Z.log2 most + 1)) = 2 ^ (Z.log2 most + 1)).
  { rewrite Nat2Z.inj_pow, Z2Nat.id by lia. reflexivity. }
  replace (Z.succ (Z.log2 most)) with (Z.log2 most + 1) in U by lia. lia.
Qed.

Definition shifted (offset z : Z) : nat := Z.to_nat (z + offset).
Definition unshifted (offset : Z) (n : nat) : Z := Z.of_nat n - offset.

Lemma unshifted_shifted : forall offset z, - offset <= z -> unshifted offset (shifted offset z) = z.
Proof. intros. unfold unshifted, shifted. lia. Qed.

(** Exact sums and maxima over a list of positions. *)
Definition total (positions : list nat) (g : nat -> Z) : Z := fold_right (fun i s => g i + s) 0 positions.
Definition greatest (least : Z) (positions : list nat) (g : nat -> Z) : Z :=
  fold_right (fun i s => Z.max (g i) s) least positions.

Lemma total_split : forall (mine : nat -> bool) l g,
  total l g = total (filter mine l) g + total (filter (fun i => negb (mine i)) l) g.
Proof. induction l as [|i l IH]; intros g; simpl; auto. rewrite IH. destruct (mine i); simpl; lia. Qed.

Lemma greatest_split : forall (mine : nat -> bool) least l g,
  greatest least l g = Z.max (greatest least (filter mine l) g) (greatest least (filter (fun i => negb (mine i)) l) g).
Proof. induction l as [|i l IH]; intros g; simpl; [lia|]. rewrite IH. destruct (mine i); simpl; lia. Qed.

Lemma total_ext : forall l g g', (forall i, In i l -> g i = g' i) -> total l g = total l g'.
Proof.
  induction l as [|i l IH]; intros g g' H; simpl; auto.
  rewrite (H i (or_introl eq_refl)), (IH g g'); auto. intros j Hj. apply H. right. exact Hj.
Qed.

Lemma greatest_ext : forall least l g g', (forall i, In i l -> g i = g' i) -> greatest least l g = greatest least l g'.
Proof.
  induction l as [|i l IH]; intros g g' H; simpl; auto.
  rewrite (H i (or_introl eq_refl)), (IH g g'); auto. intros j Hj. apply H. right. exact Hj.
Qed.

Lemma total_nonneg : forall l g, (forall i, 0 <= g i) -> 0 <= total l g.
Proof. induction l as [|i l IH]; intros g H; simpl; [lia|]. specialize (H i) as Hi. specialize (IH g H). lia. Qed.

Lemma total_at_most : forall l g c, (forall i, g i <= c) -> total l g <= Z.of_nat (length l) * c.
Proof.
  induction l as [|i l IH]; intros g c H; cbn [total fold_right length]; [lia|].
  specialize (IH g c H). specialize (H i). unfold total in IH. lia.
Qed.

Lemma greatest_bounds : forall b l g, (forall i, - b <= g i <= b) -> - b <= b -> - b <= greatest (- b) l g <= b.
Proof. induction l as [|i l IH]; intros g H Hb; simpl; [lia|]. specialize (H i) as Hi. specialize (IH g H Hb). lia. Qed.

(** A sum of weights times values is at most the sum of the weights times the greatest value. *)
Lemma weighted_bounds : forall l w v V, (forall i, 0 <= w i) -> (forall i, - V <= v i <= V) ->
  - (total l w * V) <= total l (fun i => w i * v i) <= total l w * V.
Proof.
  induction l as [|i l IH]; intros w v V Hw Hv; simpl; [lia|].
  specialize (IH w v V Hw Hv). specialize (Hw i). specialize (Hv i). unfold total in *. nia.
Qed.

Lemma total_filter_le : forall (mine : nat -> bool) l w, (forall i, 0 <= w i) -> total (filter mine l) w <= total l w.
Proof.
  intros mine l w H. rewrite (total_split mine l w).
  pose proof (total_nonneg (filter (fun i => negb (mine i)) l) w H). lia.
Qed.

Section OneLayer.
  Variables Token Answer : Type.
  Variables (N H m : nat) (B L V W : Z).
  (** The question: what Bob says about the last token, [dq] numbers below [kq]. *)
  Variables (kq dq : nat) (ask : Token -> list nat).

  (** The model. [qs] is the question. *)
  Variable score : list nat -> nat -> nat -> Token -> Z.               (* qs, head, position, token *)
  Variable value : list nat -> nat -> nat -> nat -> Token -> Z.        (* qs, head, coordinate, position, token *)
  Variable expo : Z -> Z.
  Variable weight : Z -> Z -> Z.                                       (* exponential, normaliser *)
  Variable finish : list nat -> list Z -> Answer.

  Definition exponentials (qs : list nat) (w : nat -> Token) (h : nat) (M : Z) (i : nat) : Z :=
    expo (score qs h i (w i) - M).

  (** The answer of the model, as a forward pass computes it at the last position. *)
  Definition maximum qs w h : Z := greatest (- B) (seq 0 N) (fun i => score qs h i (w i)).
  Definition normaliser qs w h : Z := total (seq 0 N) (exponentials qs w h (maximum qs w h)).
  Definition value_sum qs w (c : nat * nat) : Z :=
    total (seq 0 N) (fun i => weight (exponentials qs w (fst c) (maximum qs w (fst c)) i) (normaliser qs w (fst c))
                              * value qs (fst c) (snd c) i (w i)).
  Definition coordinates : list (nat * nat) := list_prod (seq 0 H) (seq 0 m).
  Definition forward (w : nat -> Token) : Answer :=
    let qs := ask (w (N - 1)%nat) in finish qs (map (value_sum qs w) coordinates).

  Hypothesis at_least_one : (1 <= N)%nat.
  Hypothesis question_fits : forall t, fits kq dq (ask t).
  Hypothesis question_kind : (1 <= kq)%nat.
  Hypothesis B_positive : 1 <= B.
  Hypothesis L_positive : 1 <= L.
  Hypothesis WV_positive : 1 <= W * V.
  Hypothesis V_nonnegative : 0 <= V.
  Hypothesis score_bounded : forall qs h i t, - B <= score qs h i t <= B.
  Hypothesis value_bounded : forall qs h j i t, - V <= value qs h j i t <= V.
  Hypothesis expo_bounded : forall d, 0 <= expo d <= L.
  Hypothesis weight_nonnegative : forall e z, 0 <= weight e z.
  Hypothesis weights_at_most : forall qs w h,
    total (seq 0 N) (fun i => weight (exponentials qs w h (maximum qs w h) i) (normaliser qs w h)) <= W.

  (** The partition: [alice_has i] for the positions of Alice. The last position is Bob's. *)
  Variable alice_has : nat -> bool.
  Hypothesis bob_asks : alice_has (N - 1) = false.

  Definition joined (x y : nat -> Token) (i : nat) : Token := if alice_has i then x i else y i.
  Definition alices : list nat := filter alice_has (seq 0 N).
  Definition bobs : list nat := filter (fun i => negb (alice_has i)) (seq 0 N).

  Lemma alices_token : forall x y i, In i alices -> joined x y i = x i.
  Proof. intros x y i Hi. apply filter_In in Hi. unfold joined. rewrite (proj2 Hi). reflexivity. Qed.
  Lemma bobs_token : forall x y i, In i bobs -> joined x y i = y i.
  Proof.
    intros x y i Hi. apply filter_In in Hi. destruct Hi as [_ Hi]. unfold joined.
    destruct (alice_has i); [discriminate|reflexivity].
  Qed.

  (** What each party computes from its own positions. *)
  Definition maxima (own : list nat) (w : nat -> Token) (qs : list nat) : list nat :=
    map (fun h => shifted B (greatest (- B) own (fun i => score qs h i (w i)))) (seq 0 H).
  Definition normalisers (own : list nat) (w : nat -> Token) (qs : list nat) (M : nat -> Z) : list nat :=
    map (fun h => shifted 0 (total own (exponentials qs w h (M h)))) (seq 0 H).
  Definition own_sum (own : list nat) (w : nat -> Token) (qs : list nat) (M Zn : nat -> Z) (c : nat * nat) : Z :=
    total own (fun i => weight (exponentials qs w (fst c) (M (fst c)) i) (Zn (fst c)) * value qs (fst c) (snd c) i (w i)).
  Definition value_sums (own : list nat) (w : nat -> Token) (qs : list nat) (M Zn : nat -> Z) : list nat :=
    map (fun c => shifted (W * V) (own_sum own w qs M Zn c)) coordinates.

  (** What both know after the maxima, and after the normalisers. *)
  Definition agreed_maximum (ma mb : list nat) (h : nat) : Z :=
    Z.max (unshifted B (nth h ma 0%nat)) (unshifted B (nth h mb 0%nat)).
  Definition agreed_normaliser (za zb : list nat) (h : nat) : Z := unshifted 0 (nth h za 0%nat) + unshifted 0 (nth h zb 0%nat).

  Definition number_bits : nat := bit_length (2 * B).
  Definition normaliser_bits : nat := bit_length (Z.of_nat N * L).
  Definition value_sum_bits : nat := bit_length (2 * (W * V)).

  Definition steps_1_to_3 (next : list nat -> (nat -> Z) -> (nat -> Z) -> protocol (nat -> Token) (nat -> Token)) :=
    bob_says _ _ kq dq (fun y => ask (y (N - 1)%nat)) (fun qs =>
    alice_says _ _ (2 ^ number_bits) H (fun x => maxima alices x qs) (fun ma =>
    bob_says _ _ (2 ^ number_bits) H (fun y => maxima bobs y qs) (fun mb =>
    alice_says _ _ (2 ^ normaliser_bits) H (fun x => normalisers alices x qs (agreed_maximum ma mb)) (fun za =>
    bob_says _ _ (2 ^ normaliser_bits) H (fun y => normalisers bobs y qs (agreed_maximum ma mb)) (fun zb =>
    next qs (agreed_maximum ma mb) (agreed_normaliser za zb)))))).

  (** Bob's answer from Alice's sums and his own. *)
  Definition bobs_answer (y : nat -> Token) qs M Zn (sa : list nat) : Answer :=
    finish qs (map (fun cs => unshifted (W * V) (snd cs) + own_sum bobs y qs M Zn (fst cs)) (combine coordinates sa)).

  Definition one_learns : protocol (nat -> Token) (nat -> Token) :=
    steps_1_to_3 (fun qs M Zn =>
    alice_says _ _ (2 ^ value_sum_bits) (m * H) (fun x => value_sums alices x qs M Zn) (fun _ => Done _ _)).

  Variable classes : nat.
  Variable class_of : Answer -> nat.
  Variable answer_of : nat -> Answer.

  Definition one_learns_and_sends : protocol (nat -> Token) (nat -> Token) :=
    steps_1_to_3 (fun qs M Zn =>
    alice_says _ _ (2 ^ value_sum_bits) (m * H) (fun x => value_sums alices x qs M Zn) (fun sa =>
    bob_says _ _ classes 1 (fun y => [class_of (bobs_answer y qs M Zn sa)]) (fun _ => Done _ _))).

  Definition both_exchange : protocol (nat -> Token) (nat -> Token) :=
    steps_1_to_3 (fun qs M Zn =>
    alice_says _ _ (2 ^ value_sum_bits) (m * H) (fun x => value_sums alices x qs M Zn) (fun _ =>
    bob_says _ _ (2 ^ value_sum_bits) (m * H) (fun y => value_sums bobs y qs M Zn) (fun _ => Done _ _))).

  (** The ledger. *)
  Definition first_bits : nat := (dq * bits kq + (H * number_bits + (H * number_bits + (H * normaliser_bits + H *
    normaliser_bits))))%nat.

  Lemma bits_of_power : forall b, bits (2 ^ b) = b.
  Proof. intros. unfold bits. apply Nat.log2_up_pow2. lia. Qed.

  Lemma power_positive : forall b, (1 <= 2 ^ b)%nat.
  Proof. intros. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. Qed.

  Lemma steps_cost : forall next c, (forall qs M Zn, cost _ _ (next qs M Zn) = c) ->
    cost _ _ (steps_1_to_3 next) = (first_bits + c)%nat.
  Proof.
    intros next c Hc. unfold steps_1_to_3, first_bits.
    rewrite bob_says_cost with (c := (H * number_bits + (H * number_bits + (H * normaliser_bits + (H * normaliser_bits +
      c))))%nat);
      [lia|exact question_kind|intros qs].
    rewrite alice_says_cost with (c := (H * number_bits + (H * normaliser_bits + (H * normaliser_bits + c)))%nat);
      [rewrite bits_of_power; reflexivity|apply power_positive|intros ma].
    rewrite bob_says_cost with (c := (H * normaliser_bits + (H * normaliser_bits + c))%nat);
      [rewrite bits_of_power; reflexivity|apply power_positive|intros mb].
    rewrite alice_says_cost with (c := (H * normaliser_bits + c)%nat);
      [rewrite bits_of_power; reflexivity|apply power_positive|intros za].
    rewrite bob_says_cost with (c := c); [rewrite bits_of_power; reflexivity|apply power_positive|intros zb].
    apply Hc.
  Qed.

  Lemma steps_range : forall next, (forall qs M Zn, keeps_to_range _ _ (next qs M Zn)) ->
    keeps_to_range _ _ (steps_1_to_3 next).
  Proof.
    intros next Hn. unfold steps_1_to_3.
    repeat first [apply bob_says_range; [auto using power_positive|intros]
                 |apply alice_says_range; [auto using power_positive|intros]]. apply Hn.
  Qed.

  Theorem one_learns_bits :
    cost _ _ one_learns = (first_bits + m * H * value_sum_bits)%nat /\ keeps_to_range _ _ one_learns.
  Proof.
    split.
    - apply steps_cost. intros. rewrite alice_says_cost with (c := 0%nat); [|apply power_positive|reflexivity].
      rewrite bits_of_power. lia.
    - apply steps_range. intros. apply alice_says_range; [apply power_positive|]. intros. exact I.
  Qed.

  Theorem one_learns_and_sends_bits : (1 <= classes)%nat ->
    cost _ _ one_learns_and_sends = (first_bits + m * H * value_sum_bits + bits classes)%nat /\
    keeps_to_range _ _ one_learns_and_sends.
  Proof.
    intros Hc. split.
    - unfold one_learns_and_sends. rewrite (steps_cost _ (m * H * value_sum_bits + bits classes)); [lia|].
      intros. rewrite alice_says_cost with (c := bits classes); [rewrite bits_of_power; reflexivity|apply power_positive|].
      intros. rewrite bob_says_cost with (c := 0%nat); [lia|exact Hc|reflexivity].
    - apply steps_range. intros. apply alice_says_range; [apply power_positive|]. intros.
      apply bob_says_range; auto. intros. exact I.
  Qed.

  Theorem both_exchange_bits :
    cost _ _ both_exchange = (first_bits + 2 * (m * H * value_sum_bits))%nat /\ keeps_to_range _ _ both_exchange.
  Proof.
    split.
    - unfold both_exchange. rewrite (steps_cost _ (2 * (m * H * value_sum_bits))); [lia|].
      intros. rewrite alice_says_cost with (c := (m * H * value_sum_bits)%nat);
        [rewrite bits_of_power; lia|apply power_positive|].
      intros. rewrite bob_says_cost with (c := 0%nat); [rewrite bits_of_power; lia|apply power_positive|reflexivity].
    - apply steps_range. intros. apply alice_says_range; [apply power_positive|]. intros.
      apply bob_says_range; [apply power_positive|]. intros. exact I.
  Qed.

  (** What is sent on the input (x, y). *)
  Section Run.
    Variables x y : nat -> Token.
    Let w := joined x y.
    Let qs := ask (y (N - 1)%nat).
    Let ma := maxima alices x qs.
    Let mb := maxima bobs y qs.
    Let M := agreed_maximum ma mb.
    Let za := normalisers alices x qs M.
    Let zb := normalisers bobs y qs M.
    Let Zn := agreed_normaliser za zb.

    Lemma last_token : w (N - 1)%nat = y (N - 1)%nat.
    Proof. unfold w, joined. rewrite bob_asks. reflexivity. Qed.

    Lemma nth_mapped : forall (g : nat -> nat) h, (h < H)%nat -> nth h (map g (seq 0 H)) 0%nat = g h.
    Proof.
      intros g h Hh. rewrite (nth_indep _ 0%nat (g 0%nat)) by (rewrite map_length, seq_length; exact Hh).
      rewrite map_nth, seq_nth by exact Hh. reflexivity.
    Qed.

    Lemma agreed_maximum_right : forall h, (h < H)%nat -> M h = maximum qs w h.
    Proof.
      intros h Hh. unfold M, agreed_maximum, ma, mb, maxima. rewrite !nth_mapped by exact Hh.
      rewrite !unshifted_shifted by (apply greatest_bounds; [intros; apply score_bounded|lia]).
      unfold maximum. rewrite (greatest_split alice_has _ (seq 0 N)). f_equal; apply greatest_ext; intros i Hi.
      - unfold w. rewrite alices_token; auto.
      - unfold w. rewrite bobs_token; auto.
    Qed.

    Lemma exponentials_bounded : forall v h b i, 0 <= exponentials qs v h b i <= L.
    Proof. intros. unfold exponentials. apply expo_bounded. Qed.

    Lemma agreed_normaliser_right : forall h, (h < H)%nat -> Zn h = normaliser qs w h.
    Proof.
      intros h Hh. unfold Zn, agreed_normaliser, za, zb, normalisers. rewrite !nth_mapped by exact Hh.
      rewrite !unshifted_shifted by (apply total_nonneg; intros; apply exponentials_bounded).
      rewrite agreed_maximum_right by exact Hh.
      unfold normaliser. rewrite (total_split alice_has (seq 0 N)). f_equal; apply total_ext; intros i Hi; unfold exponentials.
      - unfold w. rewrite alices_token; auto.
      - unfold w. rewrite bobs_token; auto.
    Qed.

    Lemma own_sums_right : forall c, (fst c < H)%nat ->
      own_sum alices x qs M Zn c + own_sum bobs y qs M Zn c = value_sum qs w c.
    Proof.
      intros c Hc. unfold own_sum, value_sum. rewrite agreed_maximum_right, agreed_normaliser_right by exact Hc.
      rewrite (total_split alice_has (seq 0 N)). f_equal; apply total_ext; intros i Hi; unfold exponentials.
      - unfold w. rewrite alices_token; auto.
      - unfold w. rewrite bobs_token; auto.
    Qed.

    Lemma own_sum_bounded : forall own v c, (fst c < H)%nat ->
      (own = alices /\ v = x \/ own = bobs /\ v = y) -> - (W * V) <= own_sum own v qs M Zn c <= W * V.
    Proof.
      intros own v c Hc Hown.
      set (wt := fun i => weight (exponentials qs w (fst c) (maximum qs w (fst c)) i) (normaliser qs w (fst c))).
      assert (E : own_sum own v qs M Zn c = total own (fun i => wt i * value qs (fst c) (snd c) i (w i))).
      { unfold own_sum, wt. rewrite agreed_maximum_right, agreed_normaliser_right by exact Hc.
        destruct Hown as [[-> ->]|[-> ->]]; apply total_ext; intros i Hi; unfold exponentials, w;
          [rewrite alices_token|rewrite bobs_token]; auto. }
      rewrite E.
      pose proof (weighted_bounds own wt (fun i => value qs (fst c) (snd c) i (w i)) V) as Hb.
      assert (total own wt <= W).
      { etransitivity; [|apply (weights_at_most qs w (fst c))]. fold wt.
        destruct Hown as [[-> _]|[-> _]]; apply total_filter_le; intros; apply weight_nonnegative. }
      assert (0 <= total own wt) by (apply total_nonneg; intros; apply weight_nonnegative).
      cbv beta in Hb. specialize (Hb (fun i => weight_nonnegative _ _) (fun i => value_bounded _ _ _ _ _)). nia.
    Qed.

    Lemma maxima_fit : forall own v, fits (2 ^ number_bits) H (maxima own v qs).
    Proof.
      intros own v. unfold maxima. split; [rewrite map_length, seq_length; reflexivity|].
      intros n Hn. apply in_map_iff in Hn. destruct Hn as (h & <- & _).
      apply below_bit_length; [|lia].
      pose proof (greatest_bounds B own (fun i => score qs h i (v i)) (fun i => score_bounded _ _ _ _) ltac:(lia)). lia.
    Qed.

    Lemma normalisers_fit : forall own v, (length own <= N)%nat -> fits (2 ^ normaliser_bits) H (normalisers own v qs M).
    Proof.
      intros own v Hl. unfold normalisers. split; [rewrite map_length, seq_length; reflexivity|].
      intros n Hn. apply in_map_iff in Hn. destruct Hn as (h & <- & _).
      apply below_bit_length; [|nia].
      pose proof (total_nonneg own (exponentials qs v h (M h)) (fun i => proj1 (exponentials_bounded _ _ _ _))).
      pose proof (total_at_most own (exponentials qs v h (M h)) L (fun i => proj2 (exponentials_bounded _ _ _ _))). nia.
    Qed.

    Lemma coordinates_length : length coordinates = (m * H)%nat.
    Proof. unfold coordinates. rewrite prod_length, !seq_length. lia. Qed.

    Lemma value_sums_fit : forall own v, (own = alices /\ v = x \/ own = bobs /\ v = y) ->
      fits (2 ^ value_sum_bits) (m * H) (value_sums own v qs M Zn).
    Proof.
      intros own v Hown. unfold value_sums. split; [rewrite map_length; apply coordinates_length|].
      intros n Hn. apply in_map_iff in Hn. destruct Hn as ([h j] & <- & Hin).
      apply in_prod_iff in Hin. destruct Hin as [Hh _]. apply in_seq in Hh.
      apply below_bit_length; [|lia].
      pose proof (own_sum_bounded own v (h, j) ltac:(simpl; lia) Hown). lia.
    Qed.

    Lemma filtered_length : forall f : nat -> bool, (length (filter f (seq 0 N)) <= N)%nat.
    Proof. intros f. rewrite <- (seq_length N 0) at 2. generalize (seq 0 N). induction l as [|a l IH]; simpl; [lia|].
    destruct (f a); simpl; lia. Qed.

    Lemma steps_transcript : forall next,
      transcript _ _ (steps_1_to_3 next) x y = qs ++ ma ++ mb ++ za ++ zb ++ transcript _ _ (next qs M Zn) x y.
    Proof.
      intros next. unfold steps_1_to_3.
      rewrite bob_says_transcript by apply question_fits. fold qs. f_equal.
      rewrite alice_says_transcript by apply maxima_fit. fold ma. f_equal.
      rewrite bob_says_transcript by apply maxima_fit. fold mb. f_equal.
      rewrite alice_says_transcript by (apply normalisers_fit, filtered_length). fold M za. f_equal.
      rewrite bob_says_transcript by (apply normalisers_fit, filtered_length). fold zb. reflexivity.
    Qed.

    Lemma bobs_answer_right : bobs_answer y qs M Zn (value_sums alices x qs M Zn) = forward w.
    Proof.
      unfold bobs_answer, forward. rewrite last_token. fold qs. f_equal.
      unfold value_sums.
      assert (G : forall l, (forall c, In c l -> (fst c < H)%nat) ->
        map (fun cs => unshifted (W * V) (snd cs) + own_sum bobs y qs M Zn (fst cs))
            (combine l (map (fun c => shifted (W * V) (own_sum alices x qs M Zn c)) l)) = map (value_sum qs w) l).
      { induction l as [|c l IH]; intros Hl; simpl; auto. f_equal.
        - rewrite unshifted_shifted by (apply own_sum_bounded; [apply Hl; left; reflexivity|auto]).
          apply own_sums_right. apply Hl. left. reflexivity.
        - apply IH. intros d Hd. apply Hl. right. exact Hd. }
      apply G. intros [h j] Hin. apply in_prod_iff in Hin. destruct Hin as [Hh _]. apply in_seq in Hh. simpl. lia.
    Qed.

    Lemma both_sums :
      map (fun cs => own_sum alices x qs M Zn (fst cs) + unshifted (W * V) (snd cs))
        (combine coordinates (value_sums bobs y qs M Zn)) = map (value_sum qs w) coordinates.
    Proof.
      unfold value_sums.
      assert (G : forall l, (forall c, In c l -> (fst c < H)%nat) ->
        map (fun cs => own_sum alices x qs M Zn (fst cs) + unshifted (W * V) (snd cs))
            (combine l (map (fun c => shifted (W * V) (own_sum bobs y qs M Zn c)) l)) = map (value_sum qs w) l).
      { induction l as [|c l IH]; intros Hl; simpl; auto. f_equal.
        - rewrite unshifted_shifted by (apply own_sum_bounded; [apply Hl; left; reflexivity|auto]).
          apply own_sums_right. apply Hl. left. reflexivity.
        - apply IH. intros d Hd. apply Hl. right. exact Hd. }
      apply G. intros [h j] Hin. apply in_prod_iff in Hin. destruct Hin as [Hh _]. apply in_seq in Hh. simpl. lia.
    Qed.
  End Run.

  (** How a transcript is read. *)
  Definition read_question (t : list nat) := firstn dq t.
  Definition read_ma (t : list nat) := firstn H (skipn dq t).
  Definition read_mb (t : list nat) := firstn H (skipn H (skipn dq t)).
  Definition read_za (t : list nat) := firstn H (skipn H (skipn H (skipn dq t))).
  Definition read_zb (t : list nat) := firstn H (skipn H (skipn H (skipn H (skipn dq t)))).
  Definition rest (t : list nat) := skipn H (skipn H (skipn H (skipn H (skipn dq t)))).

  Lemma lengths : forall own w qs M, length (maxima own w qs) = H /\ length (normalisers own w qs M) = H.
  Proof. intros. unfold maxima, normalisers. rewrite !map_length, !seq_length. auto. Qed.

  Lemma reads : forall qs ma mb za zb r t, t = qs ++ ma ++ mb ++ za ++ zb ++ r ->
    length qs = dq -> length ma = H -> length mb = H -> length za = H -> length zb = H ->
    read_question t = qs /\ read_ma t = ma /\ read_mb t = mb /\ read_za t = za /\ read_zb t = zb /\ rest t = r.
  Proof.
    intros qs ma mb za zb r t -> Lq La Lb Lza Lzb. unfold read_question, read_ma, read_mb, read_za, read_zb, rest.
    rewrite (firstn_exact qs _ _ Lq), (skipn_exact qs _ _ Lq), (firstn_exact ma _ _ La), (skipn_exact ma _ _ La),
      (firstn_exact mb _ _ Lb), (skipn_exact mb _ _ Lb), (firstn_exact za _ _ Lza), (skipn_exact za _ _ Lza),
      (firstn_exact zb _ _ Lzb), (skipn_exact zb _ _ Lzb). repeat split.
  Qed.

  Definition read_answer (y : nat -> Token) (t : list nat) : Answer :=
    let M := agreed_maximum (read_ma t) (read_mb t) in
    let Zn := agreed_normaliser (read_za t) (read_zb t) in
    bobs_answer y (read_question t) M Zn (firstn (m * H) (rest t)).

  (** The layer as a function of both inputs. *)
  Definition layer (x y : nat -> Token) : Answer := forward (joined x y).

  Section Learned.
    Variables x y : nat -> Token.
    Let qs := ask (y (N - 1)%nat).
    Let M := agreed_maximum (maxima alices x qs) (maxima bobs y qs).
    Let Zn := agreed_normaliser (normalisers alices x qs M) (normalisers bobs y qs M).

    Definition sent (r : list nat) : list nat :=
      qs ++ maxima alices x qs ++ maxima bobs y qs ++ normalisers alices x qs M ++ normalisers bobs y qs M ++
      value_sums alices x qs M Zn ++ r.

    Lemma value_sums_length : forall own w, length (value_sums own w qs M Zn) = (m * H)%nat.
    Proof. intros. unfold value_sums. rewrite map_length. apply coordinates_length. Qed.

    Lemma read_sent : forall r, read_answer y (sent r) = layer x y /\ skipn (m * H) (rest (sent r)) = r /\
      read_question (sent r) = qs /\
      agreed_maximum (read_ma (sent r)) (read_mb (sent r)) = M /\
      agreed_normaliser (read_za (sent r)) (read_zb (sent r)) = Zn.
    Proof.
      intros r.
      destruct (reads qs (maxima alices x qs) (maxima bobs y qs) (normalisers alices x qs M) (normalisers bobs y qs M)
                  (value_sums alices x qs M Zn ++ r) (sent r) eq_refl (proj1 (question_fits _)) (proj1 (lengths _ _ _ (fun
                    _ => 0)))
                  (proj1 (lengths _ _ _ (fun _ => 0))) (proj2 (lengths _ _ _ _)) (proj2 (lengths _ _ _ _)))
        as (E1 & E2 & E3 & E4 & E5 & E6).
      assert (read_answer y (sent r) = layer x y).
      { unfold read_answer. rewrite E1, E2, E3, E4, E5, E6.
        rewrite firstn_exact by apply value_sums_length. apply bobs_answer_right. }
      rewrite E1, E2, E3, E4, E5, E6. rewrite skipn_exact by apply value_sums_length. auto.
    Qed.

    Lemma one_learns_transcript : transcript _ _ one_learns x y = sent [].
    Proof.
      unfold one_learns. rewrite steps_transcript.
      rewrite alice_says_transcript by (apply value_sums_fit; auto). reflexivity.
    Qed.

    Lemma sends_transcript : (forall a, class_of a < classes)%nat ->
      transcript _ _ one_learns_and_sends x y = sent [class_of (layer x y)].
    Proof.
      intros Hc. unfold one_learns_and_sends. rewrite steps_transcript.
      rewrite alice_says_transcript by (apply value_sums_fit; auto).
      rewrite bob_says_transcript by (split; [reflexivity|intros v [<-|[]]; apply Hc]).
      rewrite bobs_answer_right. reflexivity.
    Qed.

    Lemma both_transcript : transcript _ _ both_exchange x y = sent (value_sums bobs y qs M Zn).
    Proof.
      unfold both_exchange. rewrite steps_transcript.
      rewrite alice_says_transcript by (apply value_sums_fit; auto).
      rewrite bob_says_transcript by (apply value_sums_fit; auto).
      simpl. rewrite app_nil_r. reflexivity.
    Qed.
  End Learned.

  (** Theorem 4, variant one-learns: Bob knows the answer of the layer. *)
  Theorem one_layer_protocol : bob_learns _ _ _ layer one_learns read_answer.
  Proof. intros x y. rewrite one_learns_transcript. apply read_sent. Qed.

  (** Variant one-learns-and-sends: both know it. *)
  Theorem one_layer_protocol_sends :
    (forall a, class_of a < classes)%nat -> (forall a, answer_of (class_of a) = a) ->
    bob_learns _ _ _ layer one_learns_and_sends read_answer /\
    alice_learns _ _ _ layer one_learns_and_sends (fun _ t => answer_of (hd 0%nat (skipn (m * H) (rest t)))).
  Proof.
    intros Hc Ha. split; intros x y; rewrite sends_transcript by exact Hc.
    - apply read_sent.
    - destruct (read_sent x y [class_of (layer x y)]) as (_ & E & _). rewrite E. apply Ha.
  Qed.

  (** Variant both-exchange, that of the paper: Alice adds Bob's sums to her own. *)
  Definition alices_answer (x : nat -> Token) (t : list nat) : Answer :=
    let qs := read_question t in
    let M := agreed_maximum (read_ma t) (read_mb t) in
    let Zn := agreed_normaliser (read_za t) (read_zb t) in
    finish qs (map (fun cs => own_sum alices x qs M Zn (fst cs) + unshifted (W * V) (snd cs))
                 (combine coordinates (skipn (m * H) (rest t)))).

  Theorem one_layer_protocol_both :
    bob_learns _ _ _ layer both_exchange read_answer /\ alice_learns _ _ _ layer both_exchange alices_answer.
  Proof.
    split; intros x y; rewrite both_transcript.
    - apply read_sent.
    - set (r := value_sums bobs y _ _ _).
      destruct (read_sent x y r) as (_ & E & E1 & E2 & E3). unfold alices_answer. cbv zeta.
      rewrite E, E1, E2, E3. unfold layer, forward. rewrite last_token. f_equal. apply both_sums.
  Qed.
End OneLayer.

(** The two roundings of a weight e / z, in steps: L e / z rounded down, or to the nearest (a half is rounded up). *)
Definition floor_weight (L e z : Z) : Z := L * e / z.
Definition nearest_weight (L e z : Z) : Z := (2 * (L * e) + z) / (2 * z).

Lemma total_floor : forall l L e z, 0 <= L -> (forall i, 0 <= e i) -> 0 <= z ->
  z * total l (fun i => floor_weight L (e i) z) <= L * total l e.
Proof.
  intros l L e z HL He Hz. induction l as [|i l IH]; simpl; [lia|].
  specialize (He i). unfold total, floor_weight in *.
  destruct (Z.eq_dec z 0) as [->|Nz].
  - rewrite !Z.mul_0_l in *. assert (0 <= L * e i) by nia. lia.
  - pose proof (Z.mul_div_le (L * e i) z ltac:(lia)). lia.
Qed.

Lemma total_nearest : forall l L e z, 0 <= L -> (forall i, 0 <= e i) -> 0 <= z ->
  2 * z * total l (fun i => nearest_weight L (e i) z) <= 2 * (L * total l e) + Z.of_nat (length l) * z.
Proof.
  intros l L e z HL He Hz. induction l as [|i l IH]; cbn [total fold_right length]; [lia|].
  specialize (He i). unfold total, nearest_weight in *.
  destruct (Z.eq_dec z 0) as [->|Nz].
  - rewrite !Z.mul_0_r, !Z.mul_0_l in *. assert (0 <= L * e i) by nia. lia.
  - pose proof (Z.mul_div_le (2 * (L * e i) + z) (2 * z) ltac:(lia)). lia.
Qed.

(** Rounded down, the weights add up to at most L steps. *)
Theorem floor_weights : forall l L e z, 0 <= L -> (forall i, 0 <= e i) -> z = total l e ->
  total l (fun i => floor_weight L (e i) z) <= L.
Proof.
  intros l L e z HL He Hz. pose proof (total_nonneg l e He) as Hn.
  destruct (Z.eq_dec z 0) as [E|Nz].
  - assert (total l (fun i => floor_weight L (e i) z) = 0).
    { rewrite E. clear. induction l as [|i l IH]; simpl; auto. unfold floor_weight at 1. rewrite Zdiv_0_r. exact IH. }
    lia.
  - pose proof (total_floor l L e z HL He ltac:(lia)). nia.
Qed.

(** Rounded to the nearest, they add up to at most L + floor(N/2) steps. *)
Theorem nearest_weights : forall l L e z, 0 <= L -> (forall i, 0 <= e i) -> z = total l e ->
  total l (fun i => nearest_weight L (e i) z) <= L + Z.of_nat (length l) / 2.
Proof.
  intros l L e z HL He Hz. pose proof (total_nonneg l e He) as Hn.
  assert (Hd : 0 <= Z.of_nat (length l) / 2) by (apply Z.div_pos; lia).
  destruct (Z.eq_dec z 0) as [E|Nz].
  - assert (total l (fun i => nearest_weight L (e i) z) = 0).
    { rewrite E. clear. induction l as [|i l IH]; simpl; auto. unfold nearest_weight at 1. rewrite Z.mul_0_r, Zdiv_0_r.
      exact IH. }
    lia.
  - pose proof (total_nearest l L e z HL He ltac:(lia)) as T.
    assert (2 * total l (fun i => nearest_weight L (e i) z) <= 2 * L + Z.of_nat (length l)) by nia.
    enough (total l (fun i => nearest_weight L (e i) z) - L <= Z.of_nat (length l) / 2) by lia.
    apply Z.div_le_lower_bound; lia.
Qed.

Lemma total_le : forall l g g', (forall i, g i <= g' i) -> total l g <= total l g'.
Proof. induction l as [|i l IH]; intros g g' H; simpl; [lia|]. specialize (H i) as Hi. specialize (IH g g' H). lia. Qed.

(** Two more roundings of a quotient: a half goes to the even neighbour, and the fraction is cut off. *)
Definition half_even_weight (L e z : Z) : Z :=
  let w := nearest_weight L e z in if andb (2 * (L * e) + z =? 2 * z * w) (Z.odd w) then w - 1 else w.
Definition cut_weight (L e z : Z) : Z := Z.quot (L * e) z.

Example halves : map (fun L => half_even_weight L 1 2) [1; 2; 3; 5] = [0; 1; 2; 2] /\
  map (fun L => nearest_weight L 1 2) [1; 2; 3; 5] = [1; 1; 2; 3].
Proof. split; reflexivity. Qed.

(** Every rounding between 0 and the nearest with halves up has the bound of [nearest_weights]. *)
Theorem rounded_weights : forall (weight : Z -> Z -> Z) l L e z, 0 <= L -> (forall i, 0 <= e i) -> z = total l e ->
  (forall e z, weight e z <= nearest_weight L e z) ->
  total l (fun i => weight (e i) z) <= L + Z.of_nat (length l) / 2.
Proof.
  intros weight l L e z HL He Hz Hw. transitivity (total l (fun i => nearest_weight L (e i) z)).
  - apply total_le. intros i. apply Hw.
  - apply nearest_weights; assumption.
Qed.

Lemma half_even_at_most : forall L e z, half_even_weight L e z <= nearest_weight L e z.
Proof. intros. unfold half_even_weight. cbv zeta. destruct (andb _ _); lia. Qed.

(** The bits and the answer of the three protocols for one rounding of the weights: a layer with two positions, one head and
    one coordinate on the grid of step 1/4. All scores are 0, and the values count the token [true]. *)
Definition count_true : list nat -> nat -> nat -> nat -> bool -> Z := fun _ _ _ _ t => if t then 4 else 0.
Definition at_zero (d : Z) : Z := if d =? 0 then 4 else 0.
Definition no_score : list nat -> nat -> nat -> bool -> Z := fun _ _ _ _ => 0.
Definition class_of_sum (a : bool) : nat := if a then 1%nat else 0%nat.

Definition is_protocol (weight : Z -> Z -> Z) : Prop :=
  let positive := fun (_ : list nat) (sums : list Z) => 0 <? hd 0 sums in
  let layer := layer bool bool 2 1 1 16 (fun _ => []) no_score count_true at_zero weight positive Nat.even in
  let learns := one_learns bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight Nat.even in
  let sends := one_learns_and_sends bool bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight positive
    Nat.even 2 class_of_sum in
  let both := both_exchange bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight Nat.even in
  (cost _ _ learns = 28 /\ cost _ _ sends = 29 /\ cost _ _ both = 36)%nat /\
  (exists out, bob_learns _ _ _ layer learns out) /\
  (exists out out', bob_learns _ _ _ layer sends out /\ alice_learns _ _ _ layer sends out') /\
  (exists out out', bob_learns _ _ _ layer both out /\ alice_learns _ _ _ layer both out').

(** The hypotheses are met by all four roundings: down, to the nearest with halves up, to the nearest with halves to the even
    neighbour, and towards 0. *)
Example every_rounding : Forall (fun w => is_protocol (fun e z => Z.max 0 (w e z)))
  [floor_weight 4; nearest_weight 4; half_even_weight 4; cut_weight 4].
Proof.
  apply Forall_forall. intros w Hw. set (weight := fun e z => Z.max 0 (w e z)).
  assert (Z0 : forall d, 0 <= at_zero d <= 4) by (intros d; unfold at_zero; destruct (d =? 0); lia).
  assert (V0 : forall qs h j i t, - 16 <= count_true qs h j i t <= 16) by (intros; unfold count_true; destruct t; lia).
  assert (S0 : forall qs h i t, - 16 <= no_score qs h i t <= 16) by (intros; unfold no_score; lia).
  assert (Q0 : forall t : bool, fits 1 0 ((fun _ => []) t)) by (intros t; split; [reflexivity|intros v []]).
  assert (W0 : forall e z, 0 <= weight e z) by (intros; unfold weight; lia).
  assert (P : forall e z, 0 <= e -> 0 <= z -> w e z <= nearest_weight 4 e z /\ 0 <= nearest_weight 4 e z).
  { intros e z He Hz. destruct (Z.eq_dec z 0) as [->|Nz].
    - destruct Hw as [<-|[<-|[<-|[<-|[]]]]]; unfold half_even_weight, nearest_weight, floor_weight, cut_weight;
        rewrite ?Z.mul_0_r, ?Zdiv_0_r, ?Z.quot_0_r_ext by reflexivity; cbv zeta; try lia.
      destruct (andb _ _); lia.
    - assert (F : 4 * e / z <= nearest_weight 4 e z).
      { unfold nearest_weight. apply Z.div_le_lower_bound; [lia|]. pose proof (Z.mul_div_le (4 * e) z ltac:(lia)). nia. }
      assert (0 <= 4 * e / z) by (apply Z.div_pos; lia).
      destruct Hw as [<-|[<-|[<-|[<-|[]]]]]; split; try lia; try exact F.
      + apply half_even_at_most.
      + unfold cut_weight. rewrite Z.quot_div_nonneg by lia. exact F. }
  assert (M : forall qs (x : nat -> bool) h, total (seq 0 2) (fun i => weight
    (exponentials bool no_score at_zero qs x h (maximum bool 2 16 no_score qs x h) i)
    (normaliser bool 2 16 no_score at_zero qs x h)) <= 5).
  { intros qs x h. set (e := exponentials bool no_score at_zero qs x h (maximum bool 2 16 no_score qs x h)).
    assert (E : forall i, 0 <= e i) by (intros i; apply Z0).
    change (total (seq 0 2) (fun i => weight (e i) (total (seq 0 2) e)) <= 5).
    transitivity (total (seq 0 2) (fun i => nearest_weight 4 (e i) (total (seq 0 2) e))).
    - apply total_le. intros i. unfold weight. destruct (P (e i) (total (seq 0 2) e) (E i) (total_nonneg _ _ E)). lia.
    - apply (nearest_weights (seq 0 2) 4 e); auto. lia. }
  unfold is_protocol. cbv zeta. set (positive := fun (_ : list nat) (sums : list Z) => 0 <? hd 0 sums).
  split; [split; [|split]|split; [|split]].
  - rewrite (proj1 (one_learns_bits bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight ltac:(lia)
      ltac:(lia) Nat.even)). reflexivity.
  - rewrite (proj1 (one_learns_and_sends_bits bool bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight
      positive ltac:(lia) ltac:(lia) Nat.even 2 class_of_sum ltac:(lia))). reflexivity.
  - rewrite (proj1 (both_exchange_bits bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight ltac:(lia)
      ltac:(lia) Nat.even)). reflexivity.
  - eexists. apply (one_layer_protocol bool bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight positive);
      auto; lia.
  - do 2 eexists. apply (one_layer_protocol_sends bool bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight
      positive) with (classes := 2%nat) (answer_of := fun c => (c =? 1)%nat); auto; try lia; intros [|]; cbn; auto.
  - do 2 eexists. apply (one_layer_protocol_both bool bool 2 1 1 16 4 16 5 1 0 (fun _ => []) no_score count_true at_zero weight
      positive); auto; lia.
Qed.

(** The sums of weights for two exponentials of 1, on the grid of step 1/3. *)
Example two_halves : let sum w := total [0; 1]%nat (fun i => w ((fun _ : nat => 1) i) 2) in
  sum (floor_weight 3) <= 3 /\ sum (nearest_weight 3) <= 3 + 1 /\ sum (half_even_weight 3) <= 3 + 1.
Proof.
  cbv zeta. split; [|split].
  - apply (floor_weights [0; 1]%nat 3 (fun _ => 1)); [lia|lia|reflexivity].
  - apply (nearest_weights [0; 1]%nat 3 (fun _ => 1)); [lia|lia|reflexivity].
  - apply (rounded_weights (half_even_weight 3) [0; 1]%nat 3 (fun _ => 1)); [lia|lia|reflexivity|apply half_even_at_most].
Qed.
