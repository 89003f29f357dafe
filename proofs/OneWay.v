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

(** Functions that distinguish all S^N words of N symbols. *)
Section AllWords.
  Variables (N S : nat) (domain : list nat -> Prop) (f : list nat -> nat).
  Hypothesis all_differ : distinguished nat nat (fun w => domain w /\ N < length w) f (words (seq 0 S) N).

  Lemma all_words : NoDup (words (seq 0 S) N) /\ same_length nat (words (seq 0 S) N) N /\
    length (words (seq 0 S) N) = S ^ N.
  Proof.
    split; [apply words_nodup, seq_NoDup|split; [|rewrite words_length, seq_length; reflexivity]].
    intros p Hp. apply in_words in Hp. tauto.
  Qed.

  Lemma all_words_need : forall (M : Recurrent nat) d answer n,
    answers_as nat nat M d answer -> is_right nat nat domain f answer -> states_below nat M n (words (seq 0 S) N) -> S ^ N <= n.
  Proof.
    intros M d answer n Ha Hr Hs. destruct all_words as (Nd & Len & <-).
    apply (states_needed nat nat M Nat.eq_dec d answer domain f _ N n Ha Hr Nd Len all_differ Hs).
  Qed.

  Lemma all_words_need_bits : forall (M : Recurrent nat) d answer B, 1 <= S ->
    answers_as nat nat M d answer -> is_right nat nat domain f answer -> states_below nat M (2 ^ B) (words (seq 0 S) N) ->
    bits (S ^ N) <= B.
  Proof.
    intros M d answer B HS Ha Hr Hs. apply fits_in_bits; [apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia|].
    eapply all_words_need; eauto.
  Qed.

  Lemma all_words_err : forall (M : Recurrent nat) see d n, states_below nat M n (words (seq 0 S) N) -> n < S ^ N ->
    exists w, domain w /\ answer_seeing_last nat nat M see d w <> f w.
  Proof.
    intros M see d n Hs Hlt. destruct all_words as (Nd & Len & E). rewrite <- E in Hlt.
    destruct (too_few_states_seeing_last nat nat M Nat.eq_dec domain f _ N n see d Nd Len all_differ Hs Hlt) as (p & q & _ & H).
    exists (p ++ q). exact H.
  Qed.
End AllWords.

(** A model without a state. *)
Definition stateless : Recurrent nat :=
  {| State := unit; start := tt; step := fun _ s _ => s |}.

Lemma stateless_states : forall prefixes, states_below nat stateless 1 prefixes.
Proof.
  intros prefixes. exists (fun _ => 0). split; [auto|]. intros p q _ _ _.
  destruct (after nat stateless p), (after nat stateless q). reflexivity.
Qed.

(** A model that keeps all tokens. It is right on every function, and after a list of prefixes it has as many states as there
  are
    prefixes. So it meets the hypotheses of every lower bound on states, and shows that the bound is not vacuous. *)
Section History.
  Variables Token Answer : Type.
  Variable token_eq : forall a b : Token, {a = b} + {a <> b}.

  Definition history : Recurrent Token := {| State := list Token; start := []; step := fun _ s x => s ++ [x] |}.

  Lemma after_history : forall w, after Token history w = w.
  Proof.
    assert (G : forall w t s, run Token history t s w = s ++ w).
    { induction w as [|x w IH]; intros t s; simpl; [symmetry; apply app_nil_r|]. rewrite IH, <- app_assoc. reflexivity. }
    intros w. apply G.
  Qed.

  Fixpoint place_of (p : list Token) (l : list (list Token)) : nat :=
    match l with [] => 0 | q :: l => if list_eq_dec token_eq q p then 0 else S (place_of p l) end.

  Lemma place_of_right : forall p l, In p l -> place_of p l < length l /\ nth (place_of p l) l [] = p.
  Proof.
    induction l as [|q l IH]; intros H; [destruct H|]. simpl. destruct (list_eq_dec token_eq q p); [split; [lia|auto]|].
    destruct H as [|H]; [contradiction|]. destruct (IH H). split; [lia|auto].
  Qed.

  Lemma history_states : forall prefixes n, length prefixes <= n -> states_below Token history n prefixes.
  Proof.
    intros prefixes n H. exists (fun p => place_of p prefixes). split.
    - intros p Hp. rewrite after_history. apply place_of_right in Hp. lia.
    - intros p q Hp Hq E. rewrite !after_history in *. apply place_of_right in Hp, Hq. destruct Hp as [_ <-], Hq as [_ <-].
      rewrite E. reflexivity.
  Qed.

  Lemma history_right : forall domain (f : list Token -> Answer),
    is_right Token Answer domain f (answer_of_state Token Answer history f).
  Proof. intros domain f w _. unfold answer_of_state. rewrite after_history. reflexivity. Qed.

  Lemma history_answers : forall d (f : list Token -> Answer),
    answers_as Token Answer history d (answer_of_state Token Answer history f).
  Proof. constructor. Qed.
End History.

(** A state for each token is needed, and with one state some answer is wrong: for the function "first of two bits". *)
Definition two_bits : list nat -> Prop := fun w => length w = 2.

Lemma first_distinguishes : distinguished nat nat (fun w => two_bits w /\ 1 < length w) (fun w => hd 0 w) [[0]; [1]].
Proof.
  intros p p' [<-|[<-|[]]] [<-|[<-|[]]] Ne; try contradiction; exists [0]; unfold two_bits; simpl; repeat split; auto;
    discriminate.
Qed.

Example two_states_for_the_first_bit : let n := length [[0]; [1]] in n <= 2 /\ n <= 2 /\ n <= 2.
Proof.
  assert (N : NoDup [[0]; [1]]) by (repeat constructor; simpl; intuition discriminate).
  assert (L : same_length nat [[0]; [1]] 1) by (intros p [<-|[<-|[]]]; reflexivity).
  assert (B : states_below nat (history nat) 2 [[0]; [1]]) by (apply (history_states nat Nat.eq_dec); auto).
  pose proof first_distinguishes as D. cbv zeta. split; [|split].
  - apply (states_needed nat nat (history nat) Nat.eq_dec 0 _ two_bits (fun w => hd 0 w) _ 1 2
      (history_answers _ _ 0 (fun w => hd 0 w))); auto using history_right.
  - apply (states_needed_of_state nat nat (history nat) Nat.eq_dec (fun w => hd 0 w) (fun w => two_bits w /\ 1 < length w)
      (fun w => hd 0 w) _ 1 2); auto using history_right.
  - apply (one_way_messages nat nat nat Nat.eq_dec (fun w => hd 0 w) (fun m _ => m) (fun m => m)
      (fun w => two_bits w /\ 1 < length w) (fun w => hd 0 w) _ 2 N D); auto; intros p.
    + intros [<-|[<-|[]]]; simpl; lia.
    + intros q [<-|[<-|[]]] _; reflexivity.
Qed.

Example one_state_is_wrong :
  (exists p q, In p [[0]; [1]] /\ (two_bits (p ++ q) /\ 1 < length (p ++ q)) /\ 0 <> hd 0 (p ++ q)) /\
  (exists p q, In p [[0]; [1]] /\ (two_bits (p ++ q) /\ 1 < length (p ++ q)) /\
    answer_of_state nat nat stateless (fun _ => 0) (p ++ q) <> hd 0 (p ++ q)) /\
  (exists p q, In p [[0]; [1]] /\ two_bits (p ++ q) /\
    answer_seeing_last nat nat stateless (fun _ _ x => x) 0 (p ++ q) <> hd 0 (p ++ q)) /\
  (exists p q, In p [[0]; [1]] /\ two_bits (p ++ q) /\
    answer_after_thought nat nat stateless (fun _ _ x => x) 1 (fun _ _ x => x) 0 (p ++ q) <> hd 0 (p ++ q)).
Proof.
  assert (N : NoDup [[0]; [1]]) by (repeat constructor; simpl; intuition discriminate).
  assert (L : same_length nat [[0]; [1]] 1) by (intros p [<-|[<-|[]]]; reflexivity).
  assert (B : states_below nat stateless 1 [[0]; [1]]) by apply stateless_states.
  pose proof first_distinguishes as D. assert (S : 1 < length [[0]; [1]]) by (simpl; lia). split; [|split; [|split]].
  - apply (one_way_errs nat nat unit Nat.eq_dec (fun _ => tt) (fun _ _ => 0) (fun _ => 0) (fun w => two_bits w /\ 1 < length w)
      (fun w => hd 0 w) _ 1); auto.
  - apply (too_few_states_of_state nat nat stateless Nat.eq_dec (fun w => two_bits w /\ 1 < length w) (fun w => hd 0 w) _ 1 1
      (fun _ => 0)); auto.
  - apply (too_few_states_seeing_last nat nat stateless Nat.eq_dec two_bits (fun w => hd 0 w) _ 1 1); auto.
  - apply (too_few_states_with_thought nat nat stateless Nat.eq_dec two_bits (fun w => hd 0 w) _ 1 1); auto.
Qed.

(** Bob's suffix has a token: the state after [3; 4], and his tokens [5; 6]. *)
Example bob_goes_on :
  answer_seeing_last nat nat (history nat) (fun _ s x => length s + x) 0 ([3; 4] ++ [5; 6]) = 9 /\
  answer_after_thought nat nat (history nat) (fun _ _ x => x) 1 (fun _ s x => length s + x) 0 ([3; 4] ++ [5; 6]) = 10.
Proof.
  split; [rewrite one_way_protocol_seeing_last by discriminate|rewrite one_way_protocol_of_thought by discriminate];
    reflexivity.
Qed.

(** An example that meets the hypotheses of the second class at K = N: no state, and the answer "last symbol" is right. *)
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
