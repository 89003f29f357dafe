(** Equality of two halves: a recurrent model needs N/2 log2 S bits of state.

    In words. A model reads h symbols and then h more, each below S. It answers 1 if the two halves are equal, and 0 otherwise.
    Every recurrent model that is right on all inputs has at least S^h states after the first half.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 11 and appendix F.1. In Python: [equality-state]; h = N/2.

    The hypotheses, for a real model: see [OneWay]. Transitions may depend on the time. *)

From Coq Require Import List Arith Lia.
From Seqsep Require Import Words OneWay.
Import ListNotations.

Section Equality.
  Variables (h S : nat).
  Hypothesis two_halves : 1 <= h.

  Definition equality (w : list nat) : nat := if list_eq_dec Nat.eq_dec (firstn h w) (skipn h w) then 1 else 0.

  Definition is_equality (w : list nat) : Prop :=
    exists x y, In x (words (seq 0 S) h) /\ In y (words (seq 0 S) h) /\ w = x ++ y.

  Lemma equality_answer : forall x y, length x = h -> equality (x ++ y) = if list_eq_dec Nat.eq_dec x y then 1 else 0.
  Proof.
    intros x y L. unfold equality.
    rewrite firstn_app, skipn_app, L, Nat.sub_diag, firstn_O, skipn_O, app_nil_r.
    rewrite firstn_all2, skipn_all2 by lia. reflexivity.
  Qed.

  Lemma equality_distinguishes :
    distinguished nat nat (fun w => is_equality w /\ h < length w) equality (words (seq 0 S) h).
  Proof.
    intros p p' Hp Hp' Hne. exists p.
    pose proof (proj1 (proj1 (in_words _ _ _) Hp)) as L. pose proof (proj1 (proj1 (in_words _ _ _) Hp')) as L'.
    repeat split.
    - exists p, p. auto.
    - rewrite app_length. lia.
    - exists p', p. auto.
    - rewrite app_length. lia.
    - rewrite !equality_answer by auto.
      destruct (list_eq_dec Nat.eq_dec p p); [|contradiction].
      destruct (list_eq_dec Nat.eq_dec p' p); [congruence|discriminate].
  Qed.

  Theorem equality_state : forall (M : Recurrent nat) d answer n,
    answers_as nat nat M d answer -> is_right nat nat is_equality equality answer ->
    states_below nat M n (words (seq 0 S) h) -> S ^ h <= n.
  Proof. exact (all_words_need _ _ _ _ equality_distinguishes). Qed.

  Corollary equality_state_bits : forall (M : Recurrent nat) d answer B,
    1 <= S -> answers_as nat nat M d answer -> is_right nat nat is_equality equality answer ->
    states_below nat M (2 ^ B) (words (seq 0 S) h) -> bits (S ^ h) <= B.
  Proof. exact (all_words_need_bits _ _ _ _ equality_distinguishes). Qed.

  (** A model with fewer states answers some pair of halves wrongly. *)
  Theorem equality_errs : forall (M : Recurrent nat) see d n,
    states_below nat M n (words (seq 0 S) h) -> n < S ^ h ->
    exists w, is_equality w /\ answer_seeing_last nat nat M see d w <> equality w.
  Proof. exact (all_words_err _ _ _ _ equality_distinguishes). Qed.
End Equality.

(** A model that meets the hypotheses, for halves of length 1: its state is the first symbol, and then the answer. *)
Definition equality_of_two : Recurrent nat :=
  {| State := nat; start := 0;
     step := fun t s x => if t =? 0 then x else if x =? s then 1 else 0 |}.

Example equality_has_a_model : forall S,
  is_right nat nat (is_equality 1 S) (equality 1) (answer_of_state nat nat equality_of_two (fun s => s)) /\
  states_below nat equality_of_two S (words (seq 0 S) 1).
Proof.
  intros S. split.
  - intros w (x & y & Hx & Hy & ->). apply in_words in Hx, Hy. destruct Hx as [Lx _], Hy as [Ly _].
    rewrite equality_answer by auto.
    destruct x as [|a [|]]; simpl in Lx; try lia. destruct y as [|b [|]]; simpl in Ly; try lia.
    destruct (list_eq_dec Nat.eq_dec [a] [b]) as [e|e]; unfold answer_of_state, after; simpl.
    + injection e as ->. rewrite Nat.eqb_refl. reflexivity.
    + destruct (Nat.eqb_spec b a); [subst; contradiction|reflexivity].
  - exists (fun s => s). split; auto. intros p Hp. apply in_words in Hp. destruct Hp as [L H].
    destruct p as [|a [|]]; simpl in L; try lia.
    specialize (H a (or_introl eq_refl)). apply in_seq in H. unfold after. simpl. lia.
Qed.

Example equality_of_two_meets : 2 ^ 1 <= 2 /\ bits (2 ^ 1) <= 1 /\
  exists w, is_equality 1 2 w /\ answer_seeing_last nat nat stateless (fun _ _ x => x) 0 w <> equality 1 w.
Proof.
  destruct (equality_has_a_model 2) as [R B]. split; [|split].
  - apply (equality_state 1 2 ltac:(lia) equality_of_two 0 _ _ (by_state _ _ _ _ _) R B).
  - apply (equality_state_bits 1 2 ltac:(lia) equality_of_two 0 _ 1 ltac:(lia) (by_state _ _ _ _ _) R B).
  - apply (equality_errs 1 2 ltac:(lia) stateless) with (n := 1); [apply stateless_states|simpl; lia].
Qed.
