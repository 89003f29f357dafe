(** Two-way protocols: trees, transcripts, and fooling sets.

    In words. Alice has x, Bob has y. In turns they say numbers. A number below k costs ceil(log2 k) bits. At the end both know
    the transcript. From it and from their own input, one of them or both give the answer.
    - The inputs with one transcript are a rectangle ([rectangle]).
    - There are at most 2^cost transcripts ([transcripts_at_most]).
    - A fooling set of k inputs has k different transcripts, even if only Bob knows the answer at the end ([fooling_set]). So
      the cost is at least ceil(log2 k) bits. If both know it, each answer has its own transcripts ([fooling_set_both]).
    - Equality of two words of h symbols costs ceil(log2 (S^h + 1)) bits if both learn the answer. Disjointness of two subsets
      of h elements costs h + 1 bits.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Definition 1, Facts 1 and 4, appendix B.1.
    In Python: [FoolingSet] in maths.communication.witnesses, and the theorem [disjointness-one-layer].

    The hypotheses, for a real model. A protocol is deterministic, and the party that speaks depends on the transcript only.
    [OneLayer] shows such a protocol for every one-layer model. It must be right on the words of h symbols and the subsets of h
    elements only ([bob_learns_on]): no protocol of finite cost is right on words of every length. *)

From Coq Require Import List Arith Lia FinFun.
From Seqsep Require Import Words.
Import ListNotations.

Section Trees.
  Variables X Y : Type.

  (** A protocol. A node has the number k of things that may be said, and the function that says one of them. *)
  Inductive protocol : Type :=
  | Done : protocol
  | Alice : nat -> (X -> nat) -> (nat -> protocol) -> protocol
  | Bob : nat -> (Y -> nat) -> (nat -> protocol) -> protocol.

  Fixpoint transcript (p : protocol) (x : X) (y : Y) : list nat :=
    match p with
    | Done => []
    | Alice _ say next => say x :: transcript (next (say x)) x y
    | Bob _ say next => say y :: transcript (next (say y)) x y
    end.

  (** The parties say numbers below k. *)
  Fixpoint keeps_to_range (p : protocol) : Prop :=
    match p with
    | Done => True
    | Alice k say next => (forall x, say x < k) /\ (forall i, i < k -> keeps_to_range (next i))
    | Bob k say next => (forall y, say y < k) /\ (forall i, i < k -> keeps_to_range (next i))
    end.

  (** The greatest value of [f] below [k]. *)
  Fixpoint most_below (f : nat -> nat) (k : nat) : nat :=
    match k with 0 => 0 | S k => Nat.max (most_below f k) (f k) end.

  Lemma most_below_spec : forall f k i, i < k -> f i <= most_below f k.
  Proof.
    induction k as [|k IH]; intros i H; [lia|]. simpl.
    destruct (Nat.eq_dec i k) as [->|N]; [lia|]. specialize (IH i). lia.
  Qed.

  Lemma most_below_const : forall f k c, (forall i, f i = c) -> 1 <= k -> most_below f k = c.
  Proof.
    intros f k c H. induction k as [|k IH]; intros L; [lia|]. simpl. rewrite H.
    destruct k; simpl; [lia|]. simpl in IH. rewrite IH; lia.
  Qed.

  (** The bits of the longest conversation. *)
  Fixpoint cost (p : protocol) : nat :=
    match p with
    | Done => 0
    | Alice k _ next | Bob k _ next => bits k + most_below (fun i => cost (next i)) k
    end.

  Fixpoint transcripts (p : protocol) : list (list nat) :=
    match p with
    | Done => [[]]
    | Alice k _ next | Bob k _ next => flat_map (fun i => map (cons i) (transcripts (next i))) (seq 0 k)
    end.

  Lemma in_transcripts : forall p x y, keeps_to_range p -> In (transcript p x y) (transcripts p).
  Proof.
    induction p as [|k say next IH|k say next IH]; intros x y H; simpl in *; auto; destruct H as [Hk H];
      apply in_flat_map; eexists; (split; [apply in_seq; split; [lia|simpl; apply Hk]|apply in_map; auto]).
  Qed.

  Lemma flat_map_length_le : forall {B} (f : nat -> list B) l m,
    (forall i, In i l -> length (f i) <= m) -> length (flat_map f l) <= length l * m.
  Proof.
    induction l as [|i l IH]; intros m H; simpl; auto. rewrite app_length.
    specialize (IH m (fun j Hj => H j (or_intror Hj))). specialize (H i (or_introl eq_refl)). lia.
  Qed.

  Lemma le_two_to_bits : forall k, k <= 2 ^ bits k.
  Proof.
    intros [|k]; [lia|]. unfold bits. destruct k; [simpl; lia|]. apply Nat.log2_up_spec. lia.
  Qed.

  (** There are at most 2^cost transcripts. *)
  Theorem transcripts_at_most : forall p, length (transcripts p) <= 2 ^ cost p.
  Proof.
    assert (G : forall k (next : nat -> protocol), (forall i, length (transcripts (next i)) <= 2 ^ cost (next i)) ->
      length (flat_map (fun i => map (cons i) (transcripts (next i))) (seq 0 k)) <=
      2 ^ (bits k + most_below (fun i => cost (next i)) k)).
    { intros k next IH. rewrite Nat.pow_add_r.
      etransitivity; [apply (flat_map_length_le _ _ (2 ^ most_below (fun i => cost (next i)) k))|].
      - intros i Hi. apply in_seq in Hi. rewrite map_length. rewrite (IH i).
        apply Nat.pow_le_mono_r; [lia|]. apply (most_below_spec (fun i => cost (next i))). lia.
      - rewrite seq_length. apply Nat.mul_le_mono_r, le_two_to_bits. }
    induction p as [|k say next IH|k say next IH]; simpl; auto.
  Qed.

  (** Two inputs with one transcript: the two mixed inputs have it too. *)
  Theorem rectangle : forall p x y x' y',
    transcript p x y = transcript p x' y' ->
    transcript p x y' = transcript p x y /\ transcript p x' y = transcript p x y.
  Proof.
    induction p as [|k say next IH|k say next IH]; intros x y x' y' E; simpl in *; auto.
    - injection E as E1 E2. rewrite <- E1 in E2. destruct (IH (say x) x y x' y' E2) as [A B].
      rewrite <- E1. split; congruence.
    - injection E as E1 E2. rewrite <- E1 in E2. destruct (IH (say y) x y x' y' E2) as [A B].
      rewrite <- E1. split; congruence.
  Qed.

  Variable Answer : Type.
  Variable f : X -> Y -> Answer.

  (** Bob knows the answer at the end; Alice knows it. *)
  Definition bob_learns (p : protocol) (out : Y -> list nat -> Answer) : Prop :=
    forall x y, out y (transcript p x y) = f x y.
  Definition alice_learns (p : protocol) (out : X -> list nat -> Answer) : Prop :=
    forall x y, out x (transcript p x y) = f x y.

  (** Inputs with answer [v], such that every two have a mixed input with another answer. *)
  Definition is_fooling (v : Answer) (set : list (X * Y)) : Prop :=
    (forall s, In s set -> f (fst s) (snd s) = v) /\
    (forall s s', In s set -> In s' set -> s <> s' -> f (fst s) (snd s') <> v \/ f (fst s') (snd s) <> v).

  (** The same for inputs with the properties A and B only, such as words of h symbols. *)
  Definition bob_learns_on (A : X -> Prop) (B : Y -> Prop) (p : protocol) (out : Y -> list nat -> Answer) : Prop :=
    forall x y, A x -> B y -> out y (transcript p x y) = f x y.
  Definition alice_learns_on (A : X -> Prop) (B : Y -> Prop) (p : protocol) (out : X -> list nat -> Answer) : Prop :=
    forall x y, A x -> B y -> out x (transcript p x y) = f x y.

  Section On.
    Variables (A : X -> Prop) (B : Y -> Prop) (v : Answer) (set : list (X * Y)).
    Hypothesis inside : forall s, In s set -> A (fst s) /\ B (snd s).

    Lemma fooling_transcripts : forall p out s s',
      bob_learns_on A B p out -> is_fooling v set -> In s set -> In s' set -> s <> s' ->
      transcript p (fst s) (snd s) <> transcript p (fst s') (snd s').
    Proof.
      intros p out [x y] [x' y'] Hb [Hv Hf] Hs Hs' Ne E. destruct (inside _ Hs), (inside _ Hs'). simpl in *.
      destruct (rectangle p x y x' y' E) as [R S].
      pose proof (Hv _ Hs) as V. pose proof (Hv _ Hs') as V'. simpl in *.
      destruct (Hf _ _ Hs Hs' Ne) as [W|W]; apply W; simpl.
      - rewrite <- Hb, R, E, Hb by assumption. exact V'.
      - rewrite <- Hb, S, Hb by assumption. exact V.
    Qed.

    Lemma NoDup_map_transcripts : forall p out,
      bob_learns_on A B p out -> is_fooling v set -> NoDup set -> NoDup (map (fun s => transcript p (fst s) (snd s)) set).
    Proof.
      intros p out Hb Hf. apply NoDup_map_different. intros s s' Hs Hs' Ne. eapply fooling_transcripts; eauto.
    Qed.

    (** Fact 4: a fooling set of k inputs costs ceil(log2 k) bits, even if only Bob learns the answer. *)
    Theorem fooling_set_on : forall p out,
      keeps_to_range p -> bob_learns_on A B p out -> is_fooling v set -> NoDup set -> length set <= 2 ^ cost p.
    Proof.
      intros p out Hk Hb Hf Hn. rewrite <- transcripts_at_most.
      rewrite <- (map_length (fun s => transcript p (fst s) (snd s)) set).
      apply NoDup_incl_length; [eapply NoDup_map_transcripts; eauto|].
      intros t Ht. apply in_map_iff in Ht. destruct Ht as (s & <- & _). apply in_transcripts. exact Hk.
    Qed.

    (** If both learn the answer, the leaves of different answers are different. *)
    Theorem fooling_set_both_on : forall p out out' x y, A x -> B y ->
      keeps_to_range p -> bob_learns_on A B p out -> alice_learns_on A B p out' -> is_fooling v set -> NoDup set -> f x y <> v
        ->
      S (length set) <= 2 ^ cost p.
    Proof.
      intros p out out' x y Ax By Hk Hb Ha Hf Hn Hxy. rewrite <- transcripts_at_most.
      rewrite <- (map_length (fun s => transcript p (fst s) (snd s)) set).
      change (length (transcript p x y :: map (fun s => transcript p (fst s) (snd s)) set) <= length (transcripts p)).
      apply NoDup_incl_length.
      - constructor; [|eapply NoDup_map_transcripts; eauto].
        intros Hin. apply in_map_iff in Hin. destruct Hin as ([x' y'] & E & Hs). destruct (inside _ Hs). simpl in *.
        apply Hxy. pose proof (proj1 Hf _ Hs) as V. simpl in V.
        destruct (rectangle p x' y' x y E) as [R _].
        (* Alice gives (x', y') and (x', y) one answer, Bob gives (x', y) and (x, y) one answer. *)
        rewrite <- Hb, <- E, <- R, Hb, <- Ha, R, Ha by assumption. exact V.
      - intros t [<-|Ht]; [apply in_transcripts; exact Hk|].
        apply in_map_iff in Ht. destruct Ht as (s & <- & _). apply in_transcripts. exact Hk.
    Qed.
  End On.

  (** The same for a protocol that is right on all inputs. *)
  Theorem fooling_set : forall p out v set,
    keeps_to_range p -> bob_learns p out -> is_fooling v set -> NoDup set -> length set <= 2 ^ cost p.
  Proof. intros p out v set Hk Hb. apply (fooling_set_on (fun _ => True) (fun _ => True)) with out; auto. intros x y _ _. auto.
    Qed.

  Theorem fooling_set_both : forall p out out' v set x y,
    keeps_to_range p -> bob_learns p out -> alice_learns p out' -> is_fooling v set -> NoDup set -> f x y <> v ->
    S (length set) <= 2 ^ cost p.
  Proof.
    intros p out out' v set x y Hk Hb Ha. apply (fooling_set_both_on (fun _ => True) (fun _ => True)) with out out'; auto;
      intros ? ? _ _; auto.
  Qed.
End Trees.

(** Equality of two words of [h] symbols below [S]. *)
Section Equality.
  Variables h S : nat.

  Definition words_equal (x y : list nat) : bool := if list_eq_dec Nat.eq_dec x y then true else false.

  Definition diagonal : list (list nat * list nat) := map (fun w => (w, w)) (words (seq 0 S) h).

  Lemma diagonal_nodup : NoDup diagonal.
  Proof.
    apply Injective_map_NoDup; [intros a b E; congruence|apply words_nodup, seq_NoDup].
  Qed.

  Lemma diagonal_length : length diagonal = S ^ h.
  Proof. unfold diagonal. rewrite map_length, words_length, seq_length. reflexivity. Qed.

  Lemma diagonal_fools : is_fooling _ _ _ words_equal true diagonal.
  Proof.
    unfold words_equal. split.
    - intros s Hs. apply in_map_iff in Hs. destruct Hs as (w & <- & _). simpl.
      destruct (list_eq_dec Nat.eq_dec w w); auto.
    - intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'. destruct Hs as (w & <- & _), Hs' as (w' & <- & _).
      left. simpl. destruct (list_eq_dec Nat.eq_dec w w'); [subst; contradiction|discriminate].
  Qed.

  Definition is_half (x : list nat) : Prop := In x (words (seq 0 S) h).

  Lemma diagonal_inside : forall s, In s diagonal -> is_half (fst s) /\ is_half (snd s).
  Proof. intros s Hs. apply in_map_iff in Hs. destruct Hs as (w & <- & Hw). auto. Qed.

  Lemma repeated_is_half : forall a, a < S -> is_half (repeat a h).
  Proof.
    intros a Ha. apply in_words. split; [apply repeat_length|]. intros x Hx. apply repeat_spec in Hx. apply in_seq. lia.
  Qed.

  Theorem equality_costs : forall p out,
    keeps_to_range _ _ p -> bob_learns_on _ _ _ words_equal is_half is_half p out -> S ^ h <= 2 ^ cost _ _ p.
  Proof.
    intros p out Hk Hb. rewrite <- diagonal_length.
    eapply fooling_set_on; eauto using diagonal_inside, diagonal_fools, diagonal_nodup.
  Qed.

  Theorem equality_costs_both : forall p out out', 1 <= h -> 2 <= S -> keeps_to_range _ _ p ->
    bob_learns_on _ _ _ words_equal is_half is_half p out -> alice_learns_on _ _ _ words_equal is_half is_half p out' ->
    bits (S ^ h + 1) <= cost _ _ p.
  Proof.
    intros p out out' Hh HS Hk Hb Ha. apply fits_in_bits; [lia|].
    rewrite Nat.add_1_r, <- diagonal_length.
    eapply (fooling_set_both_on _ _ _ words_equal is_half is_half true diagonal) with (x := repeat 0 h) (y := repeat 1 h);
      eauto using diagonal_inside, diagonal_fools, diagonal_nodup; try (apply repeated_is_half; lia).
    unfold words_equal. destruct h; [lia|]. destruct (list_eq_dec Nat.eq_dec _ _); discriminate.
  Qed.
End Equality.

(** Disjointness of two subsets of [h] elements, as lists of booleans. The answer is true if the sets meet. *)
Section Disjointness.
  Variable h : nat.

  Fixpoint meet (x y : list bool) : bool :=
    match x, y with
    | a :: x, b :: y => (a && b) || meet x y
    | _, _ => false
    end.

  Definition complements : list (list bool * list bool) := map (fun x => (x, map negb x)) (words [true; false] h).

  Lemma complement_disjoint : forall x, meet x (map negb x) = false.
  Proof. induction x as [|[|] x IH]; simpl; auto. Qed.

  Lemma complements_differ : forall x x', length x = length x' -> x <> x' ->
    meet x (map negb x') = true \/ meet x' (map negb x) = true.
  Proof.
    induction x as [|a x IH]; intros [|b x'] L Ne; simpl in *; try discriminate; [contradiction|].
    destruct a, b; simpl; auto; (destruct (IH x') as [H|H]; [lia|congruence|rewrite H; auto|rewrite H; auto]).
  Qed.

  Lemma complements_fool : is_fooling _ _ _ meet false complements.
  Proof.
    split.
    - intros s Hs. apply in_map_iff in Hs. destruct Hs as (x & <- & _). apply complement_disjoint.
    - intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'. destruct Hs as (x & <- & Hx), Hs' as (x' & <- & Hx'). simpl.
      apply in_words in Hx, Hx'. destruct (complements_differ x x') as [H|H].
      + destruct Hx, Hx'. congruence.
      + intros ->. contradiction.
      + left. congruence.
      + right. congruence.
  Qed.

  Lemma complements_nodup : NoDup complements.
  Proof.
    apply Injective_map_NoDup; [intros a b E; congruence|apply words_nodup].
    repeat constructor; simpl; intuition discriminate.
  Qed.

  Lemma complements_length : length complements = 2 ^ h.
  Proof. unfold complements. rewrite map_length, words_length. reflexivity. Qed.

  Definition is_subset (x : list bool) : Prop := length x = h.

  Lemma complements_inside : forall s, In s complements -> is_subset (fst s) /\ is_subset (snd s).
  Proof.
    intros s Hs. apply in_map_iff in Hs. destruct Hs as (x & <- & Hx). apply in_words in Hx. unfold is_subset. simpl.
    rewrite map_length. tauto.
  Qed.

  (** Fact 4 for disjointness: h bits if one party learns the answer. *)
  Theorem disjointness_costs : forall p out,
    keeps_to_range _ _ p -> bob_learns_on _ _ _ meet is_subset is_subset p out -> h <= cost _ _ p.
  Proof.
    intros p out Hk Hb. apply (Nat.pow_le_mono_r_iff 2); [lia|]. rewrite <- complements_length.
    eapply fooling_set_on; eauto using complements_inside, complements_fool, complements_nodup.
  Qed.

  (** Fact 1: h + 1 bits if both learn it. *)
  Theorem disjointness_costs_both : forall p out out', 1 <= h -> keeps_to_range _ _ p ->
    bob_learns_on _ _ _ meet is_subset is_subset p out -> alice_learns_on _ _ _ meet is_subset is_subset p out' ->
    h + 1 <= cost _ _ p.
  Proof.
    intros p out out' Hh Hk Hb Ha. rewrite Nat.add_1_r. apply (Nat.pow_lt_mono_r_iff 2); [lia|].
    rewrite <- complements_length.
    eapply (fooling_set_both_on _ _ _ meet is_subset is_subset false complements)
      with (x := repeat true h) (y := repeat true h);
      eauto using complements_inside, complements_fool, complements_nodup; try apply repeat_length.
    destruct h; [lia|]. discriminate.
  Qed.
End Disjointness.

(** A protocol that meets the hypotheses: Alice says a number below 3, and both know the answer "is x 0". *)
Example a_protocol : exists (p : protocol nat nat) out out',
  keeps_to_range _ _ p /\ bob_learns _ _ _ (fun x _ => x =? 0) p out /\
  alice_learns _ _ _ (fun x _ => x =? 0) p out' /\ cost _ _ p = 2.
Proof.
  exists (Alice _ _ 3 (fun x => Nat.min x 2) (fun _ => Done _ _)), (fun _ t => hd 0 t =? 0), (fun x _ => x =? 0).
  split; [|split; [|split]]; [|intros [|x] y; reflexivity|intros x y; reflexivity|reflexivity].
  split; [intros x; lia|intros i _; exact I].
Qed.

(** Alice says her bit, and Bob his. So both know if the bits are equal, and if the sets meet. *)
Definition bit (x : list nat) : nat := Nat.min (hd 0 x) 1.
Definition flag (x : list bool) : nat := if hd false x then 1 else 0.
Definition bits_said : protocol (list nat) (list nat) := Alice _ _ 2 bit (fun _ => Bob _ _ 2 bit (fun _ => Done _ _)).
Definition flags_said : protocol (list bool) (list bool) := Alice _ _ 2 flag (fun _ => Bob _ _ 2 flag (fun _ => Done _ _)).

Example bits_are_compared : 2 ^ 1 <= 2 ^ 2 /\ bits (2 ^ 1 + 1) <= 2.
Proof.
  assert (K : keeps_to_range _ _ bits_said)
    by (split; [intros x; unfold bit; lia|intros i _; split; [intros x; unfold bit; lia|intros j _; exact I]]).
  set (out := fun (_ : list nat) t => hd 0 t =? hd 0 (tl t)).
  assert (R : forall x y, is_half 1 2 x -> is_half 1 2 y -> out y (transcript _ _ bits_said x y) = words_equal x y).
  { intros x y [<-|[<-|[]]] [<-|[<-|[]]]; reflexivity. }
  split; [apply (equality_costs 1 2 bits_said out K R)|apply (equality_costs_both 1 2 bits_said out out); auto].
Qed.

Example flags_are_compared : 1 <= 2 /\ 1 + 1 <= 2.
Proof.
  assert (F : forall x, flag x < 2) by (intros x; unfold flag; destruct (hd false x); lia).
  assert (K : keeps_to_range _ _ flags_said) by (split; [exact F|intros i _; split; [exact F|intros j _; exact I]]).
  set (out := fun (_ : list bool) t => hd 0 t + hd 0 (tl t) =? 2).
  assert (R : forall x y, is_subset 1 x -> is_subset 1 y -> out y (transcript _ _ flags_said x y) = meet x y).
  { intros [|a [|u x]] [|c [|v y]] Lx Ly; try discriminate Lx; try discriminate Ly. destruct a, c; reflexivity. }
  split; [apply (disjointness_costs 1 flags_said out K R)|apply (disjointness_costs_both 1 flags_said out out); auto].
Qed.

(** The protocol of [a_protocol] with the fooling set of one input. *)
Example zero_is_seen : length [(0, 0)] <= 2 ^ 2 /\ S (length [(0, 0)]) <= 2 ^ 2 /\ length [(0, 0)] <= 2 ^ 2 /\
  S (length [(0, 0)]) <= 2 ^ 2.
Proof.
  set (p := Alice nat nat 3 (fun x => Nat.min x 2) (fun _ => Done _ _)).
  assert (K : keeps_to_range _ _ p) by (split; [intros x; lia|intros i _; exact I]).
  set (f := fun x (_ : nat) => x =? 0). set (out := fun (_ : nat) t => hd 0 t =? 0).
  assert (B : bob_learns _ _ _ f p out) by (intros [|x] y; reflexivity).
  assert (A : alice_learns _ _ _ f p out) by (intros [|x] y; reflexivity).
  assert (Fool : is_fooling _ _ _ f true [(0, 0)]).
  { split; [intros s [<-|[]]; reflexivity|]. intros s s' [<-|[]] [<-|[]] Ne. contradiction. }
  assert (N : NoDup [(0, 0)]) by (repeat constructor; intros []).
  change (2 ^ 2) with (2 ^ cost _ _ p).
  split; [|split; [|split]].
  - apply (fooling_set _ _ _ f p out true); auto.
  - apply (fooling_set_both _ _ _ f p out out true _ 1 0 K B A Fool N). discriminate.
  - apply (fooling_set_on _ _ _ f (fun x => x < 2) (fun _ => True) true) with out; [|exact K|intros x y _ _; apply B|exact
    Fool|exact N].
    intros s [<-|[]]; simpl; split; [lia|exact I].
  - apply (fooling_set_both_on _ _ _ f (fun x => x < 2) (fun _ => True) true) with out out 1 0;
      try (intros x y _ _; apply B); try (intros x y _ _; apply A); try assumption; try exact I; try lia; [|discriminate].
    intros s [<-|[]]; simpl; split; [lia|exact I].
Qed.

Example transcripts_of_one : transcript _ _ bits_said [1] [0] = transcript _ _ bits_said [1] [0] /\
  transcript _ _ bits_said [1] [0] = transcript _ _ bits_said [1] [0].
Proof. apply (rectangle _ _ bits_said [1] [0] [1] [0]). reflexivity. Qed.
