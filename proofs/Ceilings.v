(** The counting ceiling: how many of V lists of answers a model of n states can give rightly.

    In words. A model reads one of V inputs and then questions in a fixed order. After each question it answers, and then it may
    read the right answer. An input counts as right if all its answers are right. If the V inputs have different lists of
    answers and the model has n states after the input, at most n inputs are right ([right_at_most]). So if all inputs are
    equally likely, the accuracy is at most n / V, which is 2^B / V for B bits. Some model attains it ([ceiling_attained]).

    Source: our own. In Python: counting_ceiling in tasks.ceilings.answer_lists. The ceilings that use entropy, such as that of
    index lookup by Fano's inequality, have written proofs.

    The hypotheses, for a real model. [answer] and [next] may be any functions of the state, the question and the right answer
    ([answered]), also with a chain of thought between. Coins are covered too, as each value of the coins is such a model. *)

From Coq Require Import List Arith Lia FinFun.
From Seqsep Require Import Words.
Import ListNotations.

Section Ceiling.
  Variables State Question Answer Input : Type.
  Variable answer_eq : forall a b : Answer, {a = b} + {a <> b}.
  Variable answer : State -> Question -> Answer.
  Variable next : State -> Question -> Answer -> State.
  Variable state : Input -> State.

  (** All answers are right, from this state on; the model reads the right ones. *)
  Fixpoint answered (s : State) (questions : list Question) (correct : list Answer) : bool :=
    match questions, correct with
    | q :: questions, a :: correct =>
      if answer_eq (answer s q) a then answered (next s q a) questions correct else false
    | [], [] => true
    | _, _ => false
    end.

  (** From one state only one list of answers is given. *)
  Lemma answered_once : forall questions s correct correct',
    answered s questions correct = true -> answered s questions correct' = true -> correct = correct'.
  Proof.
    induction questions as [|q questions IH]; intros s [|a correct] [|a' correct'] H H'; simpl in *; try discriminate; auto.
    destruct (answer_eq (answer s q) a) as [<-|]; [|discriminate].
    destruct (answer_eq (answer s q) a') as [<-|]; [|discriminate]. f_equal. eapply IH; eauto.
  Qed.

  Variable questions : list Question.
  Variable correct : Input -> list Answer.
  Definition is_answered (x : Input) : bool := answered (state x) questions (correct x).

  Theorem right_at_most : forall (inputs : list Input) (number : State -> nat) n,
    NoDup inputs ->
    (forall x y, In x inputs -> In y inputs -> correct x = correct y -> x = y) ->
    (forall x, In x inputs -> number (state x) < n) ->
    (forall x y, In x inputs -> In y inputs -> number (state x) = number (state y) -> state x = state y) ->
    length (filter is_answered inputs) <= n.
  Proof.
    intros inputs number n Nd Inj Below Same.
    destruct (le_lt_dec (length (filter is_answered inputs)) n) as [|Many]; auto. exfalso.
    destruct (pigeonhole (fun x => number (state x)) n (filter is_answered inputs)) as (x & y & Hx & Hy & Ne & E); auto.
    - apply NoDup_filter. exact Nd.
    - intros x Hx. apply filter_In in Hx. apply Below. tauto.
    - apply filter_In in Hx, Hy. destruct Hx as [Hx Rx], Hy as [Hy Ry]. apply Ne, Inj; auto.
      unfold is_answered in *. rewrite (Same x y Hx Hy E) in Rx. eapply answered_once; eauto.
  Qed.
End Ceiling.

(** Attained, for one question: inputs and answers are numbers below V, and the states those below n. *)
Theorem ceiling_attained : forall n V, n <= V -> 1 <= n ->
  length (filter (is_answered nat unit nat nat Nat.eq_dec (fun s _ => s) (fun s _ _ => s) (fun x => Nat.min x (n - 1)) [tt]
    (fun x => [x])) (seq 0 V)) = n.
Proof.
  intros n V H Hn. unfold is_answered. simpl.
  replace V with (n + (V - n)) by lia. rewrite seq_app, filter_app, app_length. simpl.
  assert (A : filter (fun x => if Nat.eq_dec (Nat.min x (n - 1)) x then true else false) (seq 0 n) = seq 0 n).
  { rewrite <- (filter_ext_in (fun _ => true)).
    - induction (seq 0 n) as [|x l IH]; simpl; congruence.
    - intros x Hx. apply in_seq in Hx. destruct (Nat.eq_dec (Nat.min x (n - 1)) x); [reflexivity|lia]. }
  assert (B : filter (fun x => if Nat.eq_dec (Nat.min x (n - 1)) x then true else false) (seq n (V - n)) = []).
  { rewrite <- (filter_ext_in (fun _ => false)).
    - induction (seq n (V - n)) as [|x l IH]; simpl; auto.
    - intros x Hx. apply in_seq in Hx. destruct (Nat.eq_dec (Nat.min x (n - 1)) x); [lia|reflexivity]. }
  rewrite A, B, seq_length. simpl. lia.
Qed.

(** Three inputs and two states: the hypotheses are met, and two inputs are answered completely right. *)
Example two_of_three : length (filter (is_answered nat unit nat nat Nat.eq_dec (fun s _ => s) (fun s _ _ => s)
  (fun x => Nat.min x 1) [tt] (fun x => [x])) (seq 0 3)) <= 2 /\ length (filter (is_answered nat unit nat nat Nat.eq_dec
  (fun s _ => s) (fun s _ _ => s) (fun x => Nat.min x (2 - 1)) [tt] (fun x => [x])) (seq 0 3)) = 2.
Proof.
  split; [|apply ceiling_attained; lia].
  apply (right_at_most _ _ _ _ _ _ _ _ _ _ (seq 0 3) (fun s => s)); auto using seq_NoDup; intros; [congruence|lia].
Qed.
