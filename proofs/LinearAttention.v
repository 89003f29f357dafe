(** Causal linear attention is a recurrent model, and its counted state bounds index lookup.

    In words.
    - The output of causal linear attention at time t is a sum over all keys so far. The same numbers come from a matrix of
      k v numbers and a vector of k numbers that each token updates ([linear_attention_recurrent]).
    - A model whose state after N tokens consists of c numbers of p bits answers index lookup only if S^N <= 2^(p c)
      ([vector_state_bound]). For L layers of H heads, keys of k and values of v coordinates, c = L H k (v + 1). So it answers
      index lookup only if N log2 S <= L H k (v + 1) p ([linear_attention_state]).

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 3, after Theorem 3; Katharopoulos et al. 2020
    (arXiv:2006.16236), equations 16 to 20. In Python: [linear-attention-state].

    The hypotheses, for a real model. The sums may be rounded in any way at each token: [vector_state_bound] only asks that the
    state consists of c numbers of p bits each. The rest of the model, such as MLPs, norms and positions, is any function. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words OneWay IndexLookup.
Import ListNotations.

Section Exact.
  Local Open Scope Z_scope.
  (** A key and a query as numbers by coordinate. Exact arithmetic, before any rounding. *)
  Variables (k : nat).

  Definition dot (a b : nat -> Z) : Z := fold_right (fun i s => a i * b i + s) 0 (seq 0 k).

  (** The quadratic form: each token's key and value are kept. Coordinate j of the value. *)
  Definition attention_sum (query : nat -> Z) (tokens : list ((nat -> Z) * (nat -> Z))) (j : nat) : Z :=
    fold_right (fun t s => dot query (fst t) * snd t j + s) 0 tokens.

  (** The recurrent form: S(i, j) is the sum of key i times value j. *)
  Definition matrix (tokens : list ((nat -> Z) * (nat -> Z))) (i j : nat) : Z :=
    fold_right (fun t s => fst t i * snd t j + s) 0 tokens.

  Lemma dot_add : forall q a b, dot q (fun i => a i + b i) = dot q a + dot q b.
  Proof.
    intros. unfold dot. induction (seq 0 k) as [|i l IH]; simpl; lia.
  Qed.

  Lemma dot_scale : forall q a c, dot q (fun i => a i * c) = dot q a * c.
  Proof. intros. unfold dot. induction (seq 0 k) as [|i l IH]; simpl; lia. Qed.

  Lemma dot_zero : forall q, dot q (fun _ => 0) = 0.
  Proof. intros. unfold dot. induction (seq 0 k) as [|i l IH]; simpl; lia. Qed.

  Theorem linear_attention_recurrent : forall query tokens j,
    attention_sum query tokens j = dot query (fun i => matrix tokens i j) /\
    forall t, matrix (t :: tokens) = fun i j => fst t i * snd t j + matrix tokens i j.
  Proof.
    intros query tokens j. split; [|reflexivity]. induction tokens as [|t tokens IH].
    - simpl. symmetry. apply dot_zero.
    - change (attention_sum query (t :: tokens) j) with (dot query (fst t) * snd t j + attention_sum query tokens j).
      change (fun i => matrix (t :: tokens) i j) with (fun i => fst t i * snd t j + matrix tokens i j).
      rewrite (dot_add query (fun i => fst t i * snd t j) (fun i => matrix tokens i j)), dot_scale, IH. reflexivity.
  Qed.
End Exact.

(** Numbers of p bits in base 2^p. *)
Lemma number_of_injective : forall b u v, length u = length v -> (forall x, In x u -> x < b) -> (forall x, In x v -> x < b) ->
  number_of b u = number_of b v -> u = v.
Proof.
  induction u as [|x u IH]; intros [|y v] L Hu Hv E; simpl in *; try discriminate; auto.
  assert (x < b) by (apply Hu; auto). assert (y < b) by (apply Hv; auto).
  assert (E1 : number_of b u = number_of b v).
  { destruct (lt_eq_lt_dec (number_of b u) (number_of b v)) as [[H1|H1]|H1]; auto; exfalso.
    - pose proof (Nat.mul_le_mono_l (number_of b u + 1) (number_of b v) b ltac:(lia)). lia.
    - pose proof (Nat.mul_le_mono_l (number_of b v + 1) (number_of b u) b ltac:(lia)). lia. }
  rewrite E1 in E. f_equal; [lia|]. apply IH; auto.
Qed.

(** A state of c numbers of p bits has at most 2^(p c) values. *)
Theorem vector_states_below : forall {Token} (M : Recurrent Token) (numbers : State Token M -> list nat) c p prefixes,
  (forall s s', numbers s = numbers s' -> s = s') ->
  (forall w, In w prefixes -> length (numbers (after Token M w)) = c) ->
  (forall w x, In w prefixes -> In x (numbers (after Token M w)) -> x < 2 ^ p) ->
  states_below Token M (2 ^ (p * c)) prefixes.
Proof.
  intros Token M numbers c p prefixes Hinj Hlen Hlt. exists (fun s => number_of (2 ^ p) (numbers s)). split.
  - intros w Hw. rewrite Nat.pow_mul_r, <- (Hlen w Hw). apply number_below. intros x Hx. apply (Hlt w x Hw Hx).
  - intros w w' Hw Hw' E. apply Hinj. apply (number_of_injective (2 ^ p)); auto.
    + rewrite !Hlen by assumption. reflexivity.
    + intros x Hx. apply (Hlt w x Hw Hx).
    + intros x Hx. apply (Hlt w' x Hw' Hx).
Qed.

Theorem vector_state_bound : forall N S (M : Recurrent nat) d answer (numbers : State nat M -> list nat) c p,
  answers_as nat nat M d answer -> is_right nat nat (is_index_lookup N S) (index_lookup S) answer ->
  (forall s s', numbers s = numbers s' -> s = s') ->
  (forall w, In w (words (seq 0 S) N) -> length (numbers (after nat M w)) = c) ->
  (forall w x, In w (words (seq 0 S) N) -> In x (numbers (after nat M w)) -> x < 2 ^ p) ->
  S ^ N <= 2 ^ (p * c).
Proof.
  intros N S M d answer numbers c p Ha Hr Hi Hl Hx.
  eapply index_lookup_state; eauto. eapply vector_states_below; eauto.
Qed.

(** The state of L layers of H heads: for each head k v numbers of the matrix, and k of the normaliser. *)
Definition state_numbers (L H k v : nat) : nat := L * H * (k * (v + 1)).

Theorem linear_attention_state : forall N S L H k v p (M : Recurrent nat) d answer (numbers : State nat M -> list nat),
  1 <= S -> answers_as nat nat M d answer -> is_right nat nat (is_index_lookup N S) (index_lookup S) answer ->
  (forall s s', numbers s = numbers s' -> s = s') ->
  (forall w, In w (words (seq 0 S) N) -> length (numbers (after nat M w)) = state_numbers L H k v) ->
  (forall w x, In w (words (seq 0 S) N) -> In x (numbers (after nat M w)) -> x < 2 ^ p) ->
  bits (S ^ N) <= L * H * k * (v + 1) * p.
Proof.
  intros N S L H k v p M d answer numbers HS Ha Hr Hi Hl Hx.
  replace (L * H * k * (v + 1) * p) with (p * state_numbers L H k v) by (unfold state_numbers; ring).
  apply fits_in_bits; [apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia|].
  eapply vector_state_bound; eauto.
Qed.

(** States that meet the hypotheses, for N = 1 and S = 2: the last token, as one number of one bit. *)
Definition last_token_model : Recurrent nat := {| State := list nat; start := [0]; step := fun _ _ x => [x] |}.

Example a_vector_state :
  is_right nat nat (is_index_lookup 1 2) (index_lookup 2) (answer_seeing_last nat nat last_token_model (fun _ s _ =>
    hd 0 s) 0) /\
  forall w, In w (words (seq 0 2) 1) ->
    length (after nat last_token_model w) = 1 /\ forall x, In x (after nat last_token_model w) -> x < 2 ^ 1.
Proof.
  split.
  - intros w (xs & i & Hxs & Hi & ->). apply in_words in Hxs. destruct Hxs as [L _].
    destruct xs as [|a [|]]; simpl in L; try lia. assert (i = 0) as -> by lia. reflexivity.
  - intros w Hw. apply in_words in Hw. destruct Hw as [L H]. destruct w as [|a [|]]; simpl in L; try lia.
    split; auto. intros x [<-|[]]. specialize (H a (or_introl eq_refl)). apply in_seq in H. simpl. lia.
Qed.

Example last_token_model_meets : states_below nat last_token_model (2 ^ (1 * 1)) (words (seq 0 2) 1) /\
  2 ^ 1 <= 2 ^ (1 * 1) /\ bits (2 ^ 1) <= 1 * 1 * 1 * (0 + 1) * 1.
Proof.
  destruct a_vector_state as [R B].
  assert (Len : forall w, In w (words (seq 0 2) 1) -> length (after nat last_token_model w) = 1) by (intros w Hw; apply B, Hw).
  assert (Lt : forall w x, In w (words (seq 0 2) 1) -> In x (after nat last_token_model w) -> x < 2 ^ 1)
    by (intros w x Hw; apply B, Hw).
  split; [|split].
  - apply (vector_states_below last_token_model (fun s => s) 1 1); auto.
  - apply (vector_state_bound 1 2 last_token_model 0 _ (fun s => s) 1 1 (by_seeing_last _ _ _ _ _) R); auto.
  - apply (linear_attention_state 1 2 1 1 1 0 1 last_token_model 0 _ (fun s => s) ltac:(lia) (by_seeing_last _ _ _ _ _) R);
    auto.
Qed.
