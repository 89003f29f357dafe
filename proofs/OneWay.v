(** One-way protocols, and recurrent models as one-way protocols.

    In words. Alice has the first K tokens of an input, Bob has the others. Alice sends one message, and Bob answers. If the
    answers of a function distinguish more prefixes than there are messages, then Bob answers wrongly on some input. The state
    of a recurrent model after K tokens is such a message. So a recurrent model with B bits of state computes no function that
    distinguishes more than 2^B prefixes of one length.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 2; Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6, for
    models that write a chain of thought. In Python: [one-way-protocol].

    The hypotheses, for a real model.
    - [step] may be any function of the time, the state and the token: gates, matrices, many layers.
    - [states_below] says that the states can be numbered below n. A state of B bits has n = 2^B.
    - The output may be read from the state after all N tokens ([read]), as in an automaton. Then the split may be at K = N.
      Or it may see the last token next to the state before it ([see]), as in a block with a residual connection. Then K < N:
      after all tokens, such a model may have no state at all and still give right answers ([last_token_needs_no_state]).
    - The suffixes that distinguish two prefixes must be inputs on which the model is right ([domain]). *)

From Coq Require Import List Arith Lia.
From Seqsep Require Import Words.
Import ListNotations.

Section Protocols.
  Variables Token Answer Message : Type.
  Variable answer_eq : forall a b : Answer, {a = b} + {a <> b}.

  (** Two prefixes are distinguished if some suffix leads to two answers. *)
  Definition distinguished (domain : list Token -> Prop) (f : list Token -> Answer) (prefixes : list (list Token)) : Prop :=
    forall p p', In p prefixes -> In p' prefixes -> p <> p' ->
    exists q, domain (p ++ q) /\ domain (p' ++ q) /\ f (p ++ q) <> f (p' ++ q).

  Variable alice : list Token -> Message.
  Variable bob : Message -> list Token -> Answer.
  Variable number : Message -> nat.

  (** Fewer messages than distinguished prefixes: an input exists on which Bob answers wrongly. *)
  Theorem one_way_errs : forall domain f prefixes n,
    NoDup prefixes -> distinguished domain f prefixes ->
    (forall p p', In p prefixes -> In p' prefixes -> number (alice p) = number (alice p') -> alice p = alice p') ->
    (forall p, In p prefixes -> number (alice p) < n) ->
    n < length prefixes ->
    exists p q, In p prefixes /\ domain (p ++ q) /\ bob (alice p) q <> f (p ++ q).
  Proof.
    intros domain f prefixes n Hnd Hd Hinj Hlt Hlen.
    destruct (pigeonhole (fun p => number (alice p)) n prefixes Hnd Hlt Hlen) as (p & p' & Hp & Hp' & Hne & E).
    destruct (Hd p p' Hp Hp' Hne) as (q & Dq & Dq' & Hf).
    specialize (Hinj p p' Hp Hp' E).
    destruct (answer_eq (bob (alice p) q) (f (p ++ q))) as [e|e].
    - exists p', q. repeat split; auto. rewrite <- Hinj, e. exact Hf.
    - exists p, q. auto.
  Qed.

  (** If Bob is always right, there are at least as many messages as distinguished prefixes. *)
  Theorem one_way_messages : forall (domain : list Token -> Prop) f prefixes n,
    NoDup prefixes -> distinguished domain f prefixes ->
    (forall p p', In p prefixes -> In p' prefixes -> number (alice p) = number (alice p') -> alice p = alice p') ->
    (forall p, In p prefixes -> number (alice p) < n) ->
    (forall p q, In p prefixes -> domain (p ++ q) -> bob (alice p) q = f (p ++ q)) ->
    length prefixes <= n.
  Proof.
    intros domain f prefixes n Hnd Hd Hinj Hlt Hr.
    destruct (le_lt_dec (length prefixes) n) as [H|H]; auto. exfalso.
    destruct (one_way_errs domain f prefixes n Hnd Hd Hinj Hlt H) as (p & q & Hp & Dq & W).
    apply W. apply Hr; auto.
  Qed.
End Protocols.

Section Recurrent.
  Variables Token Answer : Type.

  Record Recurrent := {
    State : Type;
    start : State;
    step : nat -> State -> Token -> State
  }.

  Variable M : Recurrent.

  Fixpoint run (t : nat) (s : State M) (tokens : list Token) : State M :=
    match tokens with
    | [] => s
    | x :: rest => run (S t) (step M t s x) rest
    end.

  Definition after (tokens : list Token) : State M := run 0 (start M) tokens.

  Lemma run_app : forall xs ys t s, run t s (xs ++ ys) = run (t + length xs) (run t s xs) ys.
  Proof.
    induction xs as [|x xs IH]; intros ys t s; simpl.
    - f_equal. lia.
    - rewrite IH. f_equal. lia.
  Qed.

  (** First class of models: the answer is read from the state after the last token. *)
  Definition answer_of_state (read : State M -> Answer) (tokens : list Token) : Answer := read (after tokens).

  (** Second class: the answer is computed from the state before the last token, that token, and the time. *)
  Definition answer_seeing_last (see : nat -> State M -> Token -> Answer) (d : Token) (tokens : list Token) : Answer :=
    see (length tokens - 1) (after (removelast tokens)) (last tokens d).

  (** Third: the model writes [k] tokens of its own, then its answer. [write] is the token that it writes next. *)
  Fixpoint thought (write : nat -> State M -> Token -> Token) (k t : nat) (s : State M) (x : Token) : nat * State M * Token :=
    match k with
    | 0 => (t, s, x)
    | S k => thought write k (S t) (step M t s x) (write t s x)
    end.

  Definition answer_after_thought write k (see : nat -> State M -> Token ->
    Answer) (d : Token) (tokens : list Token) : Answer :=
    let '(t, s, x) := thought write k (length tokens - 1) (after (removelast tokens)) (last tokens d) in see t s x.

  Lemma last_nonempty : forall (l : list Token) d d', l <> [] -> last l d = last l d'.
  Proof.
    induction l as [|x l IH]; intros d d' H; [contradiction|].
    destruct l; auto. simpl in *. apply IH. discriminate.
  Qed.

  Lemma last_app_nonempty : forall (p q : list Token) d, q <> [] -> last (p ++ q) d = last q d.
  Proof.
    induction p as [|x p IH]; intros q d H; simpl; auto.
    destruct (p ++ q) eqn:E.
    - apply app_eq_nil in E. destruct E. contradiction.
    - rewrite <- E. apply IH. exact H.
  Qed.

  (** Theorem 2: at every split Bob's answer, computed from Alice's state and his own suffix, is the answer of the model. *)
  Theorem one_way_protocol_of_state : forall read p q,
    answer_of_state read (p ++ q) = read (run (length p) (after p) q).
  Proof. intros. unfold answer_of_state, after. rewrite run_app. reflexivity. Qed.

  Theorem one_way_protocol_seeing_last : forall see d p q, q <> [] ->
    answer_seeing_last see d (p ++ q) =
    see (length p + length q - 1) (run (length p) (after p) (removelast q)) (last q d).
  Proof.
    intros see d p q H. unfold answer_seeing_last, after.
    rewrite app_length, removelast_app, run_app, last_app_nonempty by exact H. reflexivity.
  Qed.

  Theorem one_way_protocol_of_thought : forall write k see d p q, q <> [] ->
    answer_after_thought write k see d (p ++ q) =
    let '(t, s, x) := thought write k (length p + length q - 1) (run (length p) (after p) (removelast q)) (last q d) in
    see t s x.
  Proof.
    intros write k see d p q H. unfold answer_after_thought, after.
    rewrite app_length, removelast_app, run_app, last_app_nonempty by exact H. reflexivity.
  Qed.

  Variable answer_eq : forall a b : Answer, {a = b} + {a <> b}.

  (** The states that are met after the prefixes can be numbered below [n]. *)
  Definition states_below (n : nat) (prefixes : list (list Token)) : Prop :=
    exists number : State M -> nat,
      (forall p, In p prefixes -> number (after p) < n) /\
      (forall p p', In p prefixes -> In p' prefixes -> number (after p) = number (after p') -> after p = after p').

  Definition same_length (prefixes : list (list Token)) (K : nat) : Prop := forall p, In p prefixes -> length p = K.

  Theorem too_few_states_of_state : forall (domain : list Token -> Prop) f prefixes K n read,
    NoDup prefixes -> same_length prefixes K -> distinguished _ _ domain f prefixes ->
    states_below n prefixes -> n < length prefixes ->
    exists p q, In p prefixes /\ domain (p ++ q) /\ answer_of_state read (p ++ q) <> f (p ++ q).
  Proof.
    intros domain f prefixes K n read Hnd HK Hd (number & Hs & Hinj) Hlt.
    destruct (one_way_errs _ _ _ answer_eq after (fun s q => read (run K s q)) number domain f prefixes n)
      as (p & q & Hp & Dq & W); auto.
    - exists p, q. repeat split; auto. rewrite one_way_protocol_of_state, (HK p Hp). exact W.
  Qed.

  (** The model sees its last token, so the suffix that distinguishes has at least one token: K < N. *)
  Theorem too_few_states_seeing_last : forall (domain : list Token -> Prop) f prefixes K n see d,
    NoDup prefixes -> same_length prefixes K ->
    distinguished _ _ (fun w => domain w /\ K < length w) f prefixes ->
    states_below n prefixes -> n < length prefixes ->
    exists p q, In p prefixes /\ domain (p ++ q) /\ answer_seeing_last see d (p ++ q) <> f (p ++ q).
  Proof.
    intros domain f prefixes K n see d Hnd HK Hd (number & Hs & Hinj) Hlt.
    destruct (one_way_errs _ _ _ answer_eq after
      (fun s q => see (K + length q - 1) (run K s (removelast q)) (last q d)) number
      (fun w => domain w /\ K < length w) f prefixes n)
      as (p & q & Hp & [Dq Lq] & W); auto.
    - exists p, q. repeat split; auto.
      rewrite one_way_protocol_seeing_last, (HK p Hp); auto.
      intros ->. rewrite app_nil_r, (HK p Hp) in Lq. lia.
  Qed.

  Theorem too_few_states_with_thought : forall (domain : list Token -> Prop) f prefixes K n write k see d,
    NoDup prefixes -> same_length prefixes K ->
    distinguished _ _ (fun w => domain w /\ K < length w) f prefixes ->
    states_below n prefixes -> n < length prefixes ->
    exists p q, In p prefixes /\ domain (p ++ q) /\ answer_after_thought write k see d (p ++ q) <> f (p ++ q).
  Proof.
    intros domain f prefixes K n write k see d Hnd HK Hd (number & Hs & Hinj) Hlt.
    destruct (one_way_errs _ _ _ answer_eq after
      (fun s q => let '(t, s, x) := thought write k (K + length q - 1) (run K s (removelast q)) (last q d) in see t s x)
      number (fun w => domain w /\ K < length w) f prefixes n)
      as (p & q & Hp & [Dq Lq] & W); auto.
    - exists p, q. repeat split; auto.
      rewrite one_way_protocol_of_thought, (HK p Hp); auto.
      intros ->. rewrite app_nil_r, (HK p Hp) in Lq. lia.
  Qed.

  (** The three classes together, from the side of a model that is always right. *)
  Definition is_right (domain : list Token -> Prop) (f answer : list Token -> Answer) : Prop :=
    forall w, domain w -> answer w = f w.

  Inductive answers_as (d : Token) : (list Token -> Answer) -> Prop :=
  | by_state : forall read, answers_as d (answer_of_state read)
  | by_seeing_last : forall see, answers_as d (answer_seeing_last see d)
  | by_thought : forall write k see, answers_as d (answer_after_thought write k see d).

  Theorem states_needed : forall d answer domain f prefixes K n,
    answers_as d answer -> is_right domain f answer ->
    NoDup prefixes -> same_length prefixes K ->
    distinguished _ _ (fun w => domain w /\ K < length w) f prefixes ->
    states_below n prefixes -> length prefixes <= n.
  Proof.
    intros d answer domain f prefixes K n Ha Hr Hnd HK Hd Hs.
    destruct (le_lt_dec (length prefixes) n) as [H|H]; auto. exfalso.
    destruct Ha as [read|see|write k see].
    - destruct (too_few_states_of_state (fun w => domain w /\ K < length w) f prefixes K n read)
        as (p & q & _ & [Dq _] & W); auto.
    - destruct (too_few_states_seeing_last domain f prefixes K n see d) as (p & q & _ & Dq & W); auto.
    - destruct (too_few_states_with_thought domain f prefixes K n write k see d) as (p & q & _ & Dq & W); auto.
  Qed.

  Theorem states_needed_of_state : forall read (domain : list Token -> Prop) f prefixes K n,
    is_right domain f (answer_of_state read) ->
    NoDup prefixes -> same_length prefixes K -> distinguished _ _ domain f prefixes ->
    states_below n prefixes -> length prefixes <= n.
  Proof.
    intros read domain f prefixes K n Hr Hnd HK Hd Hs.
    destruct (le_lt_dec (length prefixes) n) as [H|H]; auto. exfalso.
    destruct (too_few_states_of_state domain f prefixes K n read) as (p & q & _ & Dq & W); auto.
  Qed.
End Recurrent.

(** An example that meets the hypotheses of the second class at K = N: no state, and the answer "last symbol" is right. *)
Definition stateless : Recurrent nat :=
  {| State := unit; start := tt; step := fun _ s _ => s |}.

Example last_token_needs_no_state : forall w, answer_seeing_last nat nat stateless (fun _ _ x => x) 0 w = last w 0.
Proof. reflexivity. Qed.

(** The first class needs a state for each of the answers of the same function. *)
Example last_token_needs_states_if_read_from_them : forall (M : Recurrent nat) read n,
  is_right nat nat (fun w => length w = 1) (fun w => last w 0) (answer_of_state nat nat M read) ->
  states_below nat M n [[0]; [1]; [2]; [3]] -> 4 <= n.
Proof.
  intros M read n Hr Hs.
  apply (states_needed_of_state nat nat M Nat.eq_dec read (fun w => length w = 1) (fun w => last w 0)
           [[0]; [1]; [2]; [3]] 1 n); auto.
  - repeat constructor; simpl; intuition discriminate.
  - intros p Hp. simpl in Hp. intuition (subst; reflexivity).
  - intros p p' Hp Hp' Hne. exists []. simpl in Hp, Hp'.
    repeat match goal with H : _ \/ _ |- _ => destruct H | H : False |- _ => destruct H end; subst; simpl; auto;
      try contradiction; repeat split; discriminate.
Qed.
