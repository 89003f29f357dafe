(** The constants of the theorems as functions of binary numbers, which compute fast, and their equality with the theorems.

    A test compares the values of these functions with those of the Python package. Each function here has a lemma that says
    which number of a theorem it is. [N.to_nat] and [N.of_nat] change between the binary and the unary numbers. *)

From Coq Require Import List Arith Lia NArith ZArith Factorial.
From Seqsep Require Import Words Counting OneLayer OneLayerBounds LinearAttention IsTree Means.
Import ListNotations.
Local Open Scope N_scope.

Lemma bits_right : forall k, N.to_nat (N.log2_up k) = bits (N.to_nat k).
Proof.
  intros k. unfold bits. destruct (N.le_gt_cases k 1) as [H|H].
  - rewrite N.log2_up_eqn0 by exact H. symmetry. apply Nat.log2_up_eqn0. lia.
  - destruct (N.log2_up_spec k H) as [Lo Hi]. symmetry. apply Nat.log2_up_unique.
    + pose proof (N.log2_up_pos k H). lia.
    + assert (E : forall m, (2 ^ N.to_nat m)%nat = N.to_nat (2 ^ m)) by (intros; rewrite N2Nat.inj_pow; reflexivity).
      split; [|rewrite E; lia]. replace (Nat.pred (N.to_nat (N.log2_up k))) with (N.to_nat (N.pred (N.log2_up k))) by lia.
      rewrite E. lia.
Qed.

(** [IndexLookup.index_lookup_state_bits]. *)
Definition index_lookup_bits (length alphabet : N) : N := N.log2_up (alphabet ^ length).
Theorem index_lookup_bits_right : forall n s, N.to_nat (index_lookup_bits (N.of_nat n) (N.of_nat s)) = bits (s ^ n).
Proof. intros. unfold index_lookup_bits. rewrite bits_right, N2Nat.inj_pow, !Nat2N.id. reflexivity. Qed.

(** [Equality.equality_state_bits], for N = 2 h. *)
Definition equality_bits (length alphabet : N) : N := N.log2_up (alphabet ^ (length / 2)).
Theorem equality_bits_right : forall h s, N.to_nat (equality_bits (N.of_nat (2 * h)) (N.of_nat s)) = bits (s ^ h).
Proof.
  intros. unfold equality_bits. rewrite bits_right, N2Nat.inj_pow, Nat2N.id. f_equal. f_equal.
  rewrite Nat2N.inj_mul, N.mul_comm, N.div_mul by discriminate. apply Nat2N.id.
Qed.

(** [AssociativeRecall]: the greater of both bounds. *)
Definition associative_recall_bits (pairs alphabet : N) : N :=
  N.log2_up (N.max (alphabet ^ pairs) (pairs * alphabet ^ (pairs - 1))).
Theorem associative_recall_bits_right : forall n s,
  N.to_nat (associative_recall_bits (N.of_nat n) (N.of_nat s)) = bits (Nat.max (s ^ n) (n * s ^ (n - 1))).
Proof.
  intros. unfold associative_recall_bits.
  rewrite bits_right, N2Nat.inj_max, N2Nat.inj_mul, !N2Nat.inj_pow, N2Nat.inj_sub, !Nat2N.id. reflexivity.
Qed.

(** [Counting.counting_state]: a row of Pascal's triangle at a time. *)
Fixpoint sums (row : list N) : list N := match row with a :: (b :: _) as rest => a + b :: sums rest | _ => row end.
Definition next_row (row : list N) : list N := 1 :: sums row.
Definition pascal (n : N) : list N := N.iter n next_row [1].
Definition counting_bits (n : N) : N := N.log2_up (nth (N.to_nat n) (pascal (2 * n - 1)) 0).

Lemma sums_nth : forall row k, nth k (sums row) 0 = nth k row 0 + nth (S k) row 0.
Proof.
  induction row as [|a row IH]; intros k; [destruct k; reflexivity|].
  destruct row as [|b row]; [destruct k as [|[|k]]; simpl; lia|].
  destruct k as [|k]; [reflexivity|]. apply IH.
Qed.

Lemma pascal_right : forall n k, N.to_nat (nth k (pascal (N.of_nat n)) 0) = binomial n k.
Proof.
  unfold pascal. induction n as [|n IH]; intros k.
  - destruct k as [|[|k]]; reflexivity.
  - rewrite Nat2N.inj_succ, N.iter_succ. destruct k as [|k]; [reflexivity|].
    unfold next_row at 1. cbn [nth]. rewrite sums_nth, N2Nat.inj_add, !IH. reflexivity.
Qed.

Theorem counting_bits_right : forall n, N.to_nat (counting_bits (N.of_nat n)) = bits (binomial (2 * n - 1) n).
Proof.
  intros n. unfold counting_bits. rewrite bits_right, Nat2N.id. f_equal.
  replace (2 * N.of_nat n - 1) with (N.of_nat (2 * n - 1)) by lia. apply pascal_right.
Qed.

(** [NearestNeighbor.nearest_neighbor_state], for two labels and floor(N/2) points. *)
Definition nearest_neighbor_bits (points : N) : N := N.log2_up (2 ^ (points / 2)).
Theorem nearest_neighbor_bits_right : forall n, N.to_nat (nearest_neighbor_bits (N.of_nat n)) = (n / 2)%nat.
Proof.
  intros n. unfold nearest_neighbor_bits. rewrite N.log2_up_pow2 by apply N.le_0_l.
  rewrite N2Nat.inj_div, Nat2N.id. reflexivity.
Qed.

(** [Recall.gram_state], for c >= 2. *)
Definition gram_bits (n c : N) : N := N.log2_up (n ^ n - (n - (c - 1) + 1) * (n - (c - 1)) / 2 * n ^ (n - (c - 1))).
Theorem gram_bits_right : forall n c,
  N.to_nat (gram_bits (N.of_nat n) (N.of_nat c)) =
  bits (n ^ n - (n - (c - 1) + 1) * (n - (c - 1)) / 2 * n ^ (n - (c - 1))).
Proof.
  intros n c. unfold gram_bits.
  rewrite bits_right, N2Nat.inj_sub, N2Nat.inj_mul, !N2Nat.inj_pow, N2Nat.inj_div, N2Nat.inj_mul, N2Nat.inj_add, !N2Nat.inj_sub,
    !Nat2N.id. reflexivity.
Qed.

(** [Recall.recall_state]: ceil(log2 n!). *)
Fixpoint factorial (n : nat) : N := match n with O => 1 | S k => N.of_nat n * factorial k end.
Definition permutation_bits (n : N) : N := N.log2_up (factorial (N.to_nat n)).
Theorem permutation_bits_right : forall n, N.to_nat (permutation_bits (N.of_nat n)) = bits (fact n).
Proof.
  intros n. unfold permutation_bits. rewrite bits_right, Nat2N.id. f_equal.
  induction n as [|n IH]; auto. change (factorial (S n)) with (N.of_nat (S n) * factorial n).
  rewrite N2Nat.inj_mul, IH, Nat2N.id. reflexivity.
Qed.

(** [Dyck.dyck_fooling_set]: the words of Dyck-(n,2) with 2 (l + 1) brackets. *)
Definition dyck_word_bits (kinds length : N) : N := N.log2_up (kinds * (2 * kinds) ^ (length / 2 - 1)).
Theorem dyck_word_bits_right : forall n l,
  N.to_nat (dyck_word_bits (N.of_nat n) (N.of_nat (2 * S l))) = bits (n * (2 * n) ^ l).
Proof.
  intros n l. unfold dyck_word_bits.
  replace (N.of_nat (2 * S l) / 2 - 1) with (N.of_nat l).
  - rewrite bits_right, N2Nat.inj_mul, N2Nat.inj_pow, N2Nat.inj_mul, !Nat2N.id. reflexivity.
  - rewrite Nat2N.inj_mul, N.mul_comm, N.div_mul by discriminate. lia.
Qed.

(** [LinearAttention.linear_attention_state]. *)
Definition linear_attention_bits (layers heads keys values precision : N) : N :=
  layers * heads * keys * (values + 1) * precision.
Theorem linear_attention_bits_right : forall L H k v p,
  N.to_nat (linear_attention_bits (N.of_nat L) (N.of_nat H) (N.of_nat k) (N.of_nat v) (N.of_nat p)) = (p * state_numbers L
    H k v)%nat.
Proof.
  intros. unfold linear_attention_bits, state_numbers.
  rewrite !N2Nat.inj_mul, N2Nat.inj_add, !Nat2N.id. change (N.to_nat 1) with 1%nat. ring.
Qed.

(** [OneLayerBounds.message_bits], if the question is a token. Rounding: 0 is down, 1 is to the nearest. *)
Definition number_bits (most : N) : N := if most =? 0 then 1 else N.log2 most + 1.
Definition message_bits_of_token (rounding length heads width vocabulary steps : N) : N :=
  N.log2_up vocabulary + 2 * heads * number_bits (2 * (steps * steps)) + 2 * heads * number_bits (length * steps)
  + width * heads * number_bits (2 * ((if rounding =? 1 then steps + length / 2 else steps) * (steps * steps))).

Lemma number_bits_right : forall most, most <> 0 -> N.to_nat (number_bits most) = bit_length (Z.of_N most).
Proof.
  intros most H. unfold number_bits, bit_length. destruct (N.eqb_spec most 0); [contradiction|].
  destruct most as [|q]; [contradiction|]. destruct q; simpl; try reflexivity; lia.
Qed.

Theorem message_bits_right : forall nearest n h m k s, (1 <= n)%nat -> (1 <= s)%nat ->
  N.to_nat (message_bits_of_token (if nearest : bool then
    1 else 0) (N.of_nat n) (N.of_nat h) (N.of_nat m) (N.of_nat k) (N.of_nat s)) =
  message_bits nearest n h m k 1 (Z.of_nat s).
Proof.
  intros nearest n h m k s Hn Hs. unfold message_bits_of_token, message_bits, most_weight.
  set (w := if (if nearest then 1 else 0) =? 1 then N.of_nat s + N.of_nat n / 2 else N.of_nat s).
  assert (Hw : w <> 0).
  { unfold w. destruct nearest; cbn -[N.div N.of_nat N.add]; [|lia]. generalize (N.of_nat n / 2). intros d. lia. }
  assert (Ew : Z.of_N w = if nearest then (Z.of_nat s + Z.of_nat n / 2)%Z else Z.of_nat s).
  { unfold w. destruct nearest; cbn -[N.div Z.div N.of_nat N.add Z.of_nat Z.of_N Z.add];
      rewrite ?N2Z.inj_add, ?N2Z.inj_div, !nat_N_Z; reflexivity. }
  rewrite !N2Nat.inj_add, !N2Nat.inj_mul, !number_bits_right, bits_right, !Nat2N.id by nia.
  rewrite !N2Z.inj_mul, Ew, !nat_N_Z. change (N.to_nat 2) with 2%nat. rewrite Nat.mul_1_l. reflexivity.
Qed.

(** [Protocols.disjointness_costs_both] and [Monotone]. *)
Definition disjointness_bits (elements : N) : N := elements + 1.
Definition ones_before_a_stop (values : N) : N := values - 1.
Definition ones_before_a_period (values : N) : N := 2 * (values - 1).

(** [IsTree.is_tree_state], for n vertices and b blocks: a row of the triangle of Stirling's numbers at a time. *)
Fixpoint stirling_sums (b before : N) (row : list N) : list N :=
  match row with [] => [before] | a :: rest => before + b * a :: stirling_sums (b + 1) a rest end.
Definition stirling_row (n : N) : list N := N.iter n (stirling_sums 0 0) [1].
Definition is_tree_bits (vertices blocks : N) : N :=
  N.log2_up (blocks * nth (N.to_nat blocks) (stirling_row vertices) 0 + 1).

Lemma stirling_sums_nth : forall row b before k, nth k (stirling_sums b before row) 0 =
  (match k with O => before | S j => nth j row 0 end) + (b + N.of_nat k) * nth k row 0.
Proof.
  induction row as [|a row IH]; intros b before k.
  - destruct k as [|[|k]]; simpl; lia.
  - destruct k as [|k]; [simpl; lia|]. cbn [stirling_sums nth]. rewrite IH.
    replace (b + 1 + N.of_nat k) with (b + N.of_nat (S k)) by lia. destruct k; reflexivity.
Qed.

Lemma stirling_right : forall n k, N.to_nat (nth k (stirling_row (N.of_nat n)) 0) = stirling n k.
Proof.
  unfold stirling_row. induction n as [|n IH]; intros k; [destruct k as [|[|k]]; reflexivity|].
  rewrite Nat2N.inj_succ, N.iter_succ, stirling_sums_nth, N2Nat.inj_add, N2Nat.inj_mul, IH. cbn [stirling].
  replace (N.to_nat (0 + N.of_nat k)) with k by lia. destruct k as [|k]; [reflexivity|]. rewrite IH. reflexivity.
Qed.

Theorem is_tree_bits_right : forall n b, N.to_nat (is_tree_bits (N.of_nat n) (N.of_nat b)) = bits (b * stirling n b + 1).
Proof.
  intros n b. unfold is_tree_bits.
  rewrite bits_right, N2Nat.inj_add, N2Nat.inj_mul, !Nat2N.id, stirling_right. reflexivity.
Qed.

(** [Means.means_message]: cells(m T, m + 2), for m coordinates and T thresholds times inputs of the other party. *)
Fixpoint sum_of_first (k : nat) (row : list N) : N :=
  match k, row with S k, a :: row => a + sum_of_first k row | _, _ => 0 end.
Definition cells_of_means (width thresholds : N) : N := sum_of_first (N.to_nat (width + 2)) (pascal (width * thresholds)).

Lemma sum_of_first_S : forall k row, sum_of_first (S k) row = sum_of_first k row + nth k row 0.
Proof.
  induction k as [|k IH]; intros [|a row]; try reflexivity; [simpl; lia|].
  change (sum_of_first (S (S k)) (a :: row)) with (a + sum_of_first (S k) row). rewrite IH. simpl. lia.
Qed.

Lemma cells_S : forall T k, cells T (S k) = (cells T k + binomial T k)%nat.
Proof.
  induction T as [|T IH]; intros k; [destruct k; reflexivity|].
  destruct k as [|k]; cbn [cells binomial].
  - rewrite IH. destruct T; simpl; reflexivity || lia.
  - rewrite (IH (S k)), (IH k). simpl. lia.
Qed.

Lemma cells_right : forall T k, N.to_nat (sum_of_first k (pascal (N.of_nat T))) = cells T k.
Proof.
  intros T k. induction k as [|k IH]; [destruct (pascal (N.of_nat T)), T; reflexivity|].
  rewrite sum_of_first_S, N2Nat.inj_add, IH, pascal_right, cells_S. reflexivity.
Qed.

Theorem cells_of_means_right : forall m T, N.to_nat (cells_of_means (N.of_nat m) (N.of_nat T)) = cells (m * T) (m + 2).
Proof.
  intros m T. unfold cells_of_means. replace (N.to_nat (N.of_nat m + 2)) with (m + 2)%nat by lia.
  rewrite <- Nat2N.inj_mul. apply cells_right.
Qed.

(** [Means.induction_one_layer]: the words of floor(n/2) symbols, each not q. *)
Definition induction_bits (length symbols : N) : N := N.log2_up ((symbols - 1) ^ (length / 2)).
Theorem induction_bits_right : forall B s, N.to_nat (induction_bits (N.of_nat (2 * B)) (N.of_nat s)) = bits ((s - 1) ^ B).
Proof.
  intros. unfold induction_bits. rewrite bits_right, N2Nat.inj_pow, N2Nat.inj_sub, Nat2N.id. f_equal. f_equal.
  rewrite Nat2N.inj_mul, N.mul_comm, N.div_mul by discriminate. apply Nat2N.id.
Qed.

(** [Ceilings.right_at_most]: of V lists, those that B bits can give rightly. *)
Definition lists_answered (possibilities state : N) : N := N.min possibilities (2 ^ state).

(** [SimpleGraphs.simple_graph_state], for n vertices and b blocks. *)
Definition simple_graph_bits (vertices blocks : N) : N := N.log2_up (nth (N.to_nat blocks) (stirling_row vertices) 0 + 1).
Theorem simple_graph_bits_right : forall n b,
  N.to_nat (simple_graph_bits (N.of_nat n) (N.of_nat b)) = bits (stirling n b + 1).
Proof. intros n b. unfold simple_graph_bits. rewrite bits_right, N2Nat.inj_add, !Nat2N.id, stirling_right. reflexivity. Qed.

Example a_message : N.to_nat (message_bits_of_token 0 2 1 1 2 4) = OneLayerBounds.message_bits false 2 1 1 2 1 4.
Proof. apply (message_bits_right false 2 1 1 2 4); lia. Qed.
