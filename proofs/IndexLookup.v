(** Index lookup: a recurrent model needs N log2 S bits of state, and this many are enough.

    In words. A model reads N symbols, each below S, and then a position. It answers with the symbol at this position. Every
    recurrent model that is right on all inputs has at least S^N states after N symbols. A model with S^N states exists.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 3. In Python: [index-lookup-state].

    Tokens are those of the Python task: symbol x is the token x, and position i (from 0) is the token S + i.

    The hypotheses, for a real model: see [OneWay]. [states_below M n] holds for n = 2^B if the state has B bits. *)

From Coq Require Import List Arith Lia.
From Seqsep Require Import Words OneWay.
Import ListNotations.

Section IndexLookup.
  Variables (N S : nat).

  Definition index_lookup (w : list nat) : nat := nth (last w 0 - S) w 0.

  Definition is_index_lookup (w : list nat) : Prop :=
    exists xs i, In xs (words (seq 0 S) N) /\ i < N /\ w = xs ++ [S + i].

  Lemma index_lookup_answer : forall xs i, i < length xs -> index_lookup (xs ++ [S + i]) = nth i xs 0.
  Proof.
    intros xs i H. unfold index_lookup. rewrite last_last.
    replace (S + i - S) with i by lia. apply app_nth1. exact H.
  Qed.

  Lemma index_lookup_distinguishes :
    distinguished nat nat (fun w => is_index_lookup w /\ N < length w) index_lookup (words (seq 0 S) N).
  Proof.
    intros p p' Hp Hp' Hne.
    pose proof (proj1 (proj1 (in_words _ _ _) Hp)) as L. pose proof (proj1 (proj1 (in_words _ _ _) Hp')) as L'.
    destruct (words_differ p p' 0) as (i & Hi & Hd); auto; [congruence|].
    assert (i < N) by congruence.
    exists [S + i]. repeat split.
    - exists p, i. auto.
    - rewrite app_length, L. simpl. lia.
    - exists p', i. auto.
    - rewrite app_length, L'. simpl. lia.
    - rewrite !index_lookup_answer by congruence. exact Hd.
  Qed.

  (** The lower bound, for each of the three classes of models. *)
  Theorem index_lookup_state : forall (M : Recurrent nat) d answer n,
    answers_as nat nat M d answer -> is_right nat nat is_index_lookup index_lookup answer ->
    states_below nat M n (words (seq 0 S) N) -> S ^ N <= n.
  Proof. exact (all_words_need _ _ _ _ index_lookup_distinguishes). Qed.

  Corollary index_lookup_state_bits : forall (M : Recurrent nat) d answer B,
    1 <= S -> answers_as nat nat M d answer -> is_right nat nat is_index_lookup index_lookup answer ->
    states_below nat M (2 ^ B) (words (seq 0 S) N) -> bits (S ^ N) <= B.
  Proof. exact (all_words_need_bits _ _ _ _ index_lookup_distinguishes). Qed.

  (** A model with fewer states answers some input wrongly. *)
  Theorem index_lookup_errs : forall (M : Recurrent nat) see d n,
    states_below nat M n (words (seq 0 S) N) -> n < S ^ N ->
    exists w, is_index_lookup w /\ answer_seeing_last nat nat M see d w <> index_lookup w.
  Proof. exact (all_words_err _ _ _ _ index_lookup_distinguishes). Qed.

  (** The model with S^N states: its state is a number in base S, and digit i is symbol i. *)
  Definition lookup_model : Recurrent nat :=
    {| State := nat; start := 0; step := fun t s x => s + x * S ^ t |}.

  Definition digit (t s q : nat) : nat := (s / S ^ (q - S)) mod S.

  Fixpoint number_of (xs : list nat) : nat := match xs with [] => 0 | x :: xs => x + S * number_of xs end.

  Lemma run_number : forall xs t s, run nat lookup_model t s xs = s + S ^ t * number_of xs.
  Proof.
    induction xs as [|x xs IH]; intros t s; cbn [run number_of].
    - lia.
    - rewrite IH. simpl. ring.
  Qed.

  Lemma number_below : forall xs, (forall x, In x xs -> x < S) -> number_of xs < S ^ length xs.
  Proof.
    induction xs as [|x xs IH]; intros H; simpl; [lia|].
    assert (x < S) by (apply H; left; reflexivity).
    assert (number_of xs < S ^ length xs) by (apply IH; intros y Hy; apply H; right; exact Hy).
    nia.
  Qed.

  Lemma digit_right : forall xs i, (forall x, In x xs -> x < S) -> i < length xs ->
    (number_of xs / S ^ i) mod S = nth i xs 0.
  Proof.
    induction xs as [|x xs IH]; intros i H Hi; cbn [length] in Hi; [lia|].
    assert (x < S) by (apply H; left; reflexivity).
    cbn [number_of nth]. replace (x + S * number_of xs) with (number_of xs * S + x) by lia.
    destruct i as [|i].
    - rewrite Nat.pow_0_r, Nat.div_1_r, Nat.add_comm, Nat.mod_add by lia. apply Nat.mod_small. lia.
    - rewrite Nat.pow_succ_r', <- Nat.div_div by (try apply Nat.pow_nonzero; lia).
      rewrite Nat.div_add_l, (Nat.div_small x), Nat.add_0_r by lia.
      apply IH; [intros y Hy; apply H; right; exact Hy|lia].
  Qed.

  Theorem index_lookup_enough :
    is_right nat nat is_index_lookup index_lookup (answer_seeing_last nat nat lookup_model digit 0) /\
    states_below nat lookup_model (S ^ N) (words (seq 0 S) N).
  Proof.
    split.
    - intros w (xs & i & Hxs & Hi & ->). apply in_words in Hxs. destruct Hxs as [L Hx].
      assert (forall x, In x xs -> x < S) as Hb by (intros x Hin; apply Hx, in_seq in Hin; lia).
      rewrite index_lookup_answer by lia.
      unfold answer_seeing_last, digit, after. rewrite removelast_last, last_last, run_number.
      simpl start. rewrite Nat.pow_0_r, Nat.mul_1_l, Nat.add_0_l.
      replace (S + i - S) with i by lia. apply digit_right; auto. lia.
    - exists (fun s => s). split; auto. intros p Hp. apply in_words in Hp. destruct Hp as [L Hx].
      unfold after. rewrite run_number. simpl. rewrite Nat.add_0_r, <- L.
      apply number_below. intros x Hin. apply Hx, in_seq in Hin. lia.
  Qed.
End IndexLookup.

(** The hypotheses are met for all sizes by the model of [index_lookup_enough]; with one state an answer is wrong. *)
Example lookup_model_meets : forall N S, S ^ N <= S ^ N.
Proof.
  intros N S. destruct (index_lookup_enough N S) as [R B].
  apply (index_lookup_state N S (lookup_model S) 0 _ _ (by_seeing_last _ _ _ _ _) R B).
Qed.

Example two_bits_for_two_bits : bits (2 ^ 2) <= 2 /\
  exists w, is_index_lookup 2 2 w /\ answer_seeing_last nat nat stateless (fun _ _ x => x) 0 w <> index_lookup 2 w.
Proof.
  destruct (index_lookup_enough 2 2) as [R B]. split.
  - apply (index_lookup_state_bits 2 2 (lookup_model 2) 0 _ 2 ltac:(lia) (by_seeing_last _ _ _ _ _) R B).
  - apply (index_lookup_errs 2 2 stateless) with (n := 1); [apply stateless_states|simpl; lia].
Qed.
