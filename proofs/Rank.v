(** The rank bound: a two-way protocol that both parties understand has at least as many transcripts as the rank.

    In words. Write the answers as the entries of a matrix, with a row for each x and a column for each y. Each transcript is a
    rectangle on which the answer is one number. So the matrix is a sum of as many matrices of rank 1 as there are transcripts.
    If r rows and r columns form a minor with an inverse, there are at least r transcripts, so at least log2 r bits. The inverse
    may be a matrix of whole numbers times the minor, equal to d times the unit matrix, d not 0.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Fact 2; Mehlhorn and Schmidt 1982. In Python: [Rank] in
    maths.communication.witnesses, and [two-layer-no-short-protocol].

    The hypotheses, for a real model: as in [Protocols]. Both parties must know the answer at the end. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words Protocols.
Import ListNotations.
Open Scope Z_scope.

(** Sums over the numbers below n. *)
Fixpoint sum (n : nat) (f : nat -> Z) : Z := match n with O => 0 | S n => sum n f + f n end.

Lemma sum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n as [|n IH]; intros f g H; simpl; auto. rewrite (IH f g), H; auto. Qed.

Lemma sum_zero : forall n f, (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. induction n as [|n IH]; intros f H; simpl; auto. rewrite IH, H; auto. Qed.

Lemma sum_add : forall n f g, sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; intros; simpl; [lia|]. rewrite IH. lia. Qed.

Lemma sum_scale : forall n c f, sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; intros; simpl; [lia|]. rewrite IH. lia. Qed.

Lemma sum_swap : forall n m f, sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; intros m f; simpl; [symmetry; apply sum_zero; auto|]. rewrite IH, <- sum_add. reflexivity.
Qed.

Lemma sum_one : forall n i f, (i < n)%nat -> (forall j, (j < n)%nat -> j <> i -> f j = 0) -> sum n f = f i.
Proof.
  induction n as [|n IH]; intros i f Hi H; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|N].
  - rewrite sum_zero; [lia|]. intros j Hj. apply H; lia.
  - rewrite (IH i), (H n); try lia. intros j Hj Hne. apply H; lia.
Qed.

Lemma find_entry : forall r (f : nat -> Z), (exists i, (i < r)%nat /\ f i <> 0) \/ (forall i, (i < r)%nat -> f i = 0).
Proof.
  induction r as [|r IH]; intros f; [right; lia|].
  destruct (Z.eq_dec (f r) 0) as [E|N].
  - destruct (IH f) as [(i & Hi & H)|H]; [left; exists i; split; [lia|exact H]|].
    right. intros i Hi. destruct (Nat.eq_dec i r) as [->|]; auto. apply H. lia.
  - left. exists r. split; [lia|exact N].
Qed.

(** Exchange two numbers. *)
Definition swap (a b i : nat) : nat := if Nat.eq_dec i a then b else if Nat.eq_dec i b then a else i.

Lemma swap_below : forall a b i r, (a < r)%nat -> (b < r)%nat -> (i < r)%nat -> (swap a b i < r)%nat.
Proof. intros. unfold swap. destruct (Nat.eq_dec i a), (Nat.eq_dec i b); lia. Qed.

Lemma swap_swap : forall a b i, swap a b (swap a b i) = i.
Proof.
  intros. unfold swap. destruct (Nat.eq_dec i a), (Nat.eq_dec i b); repeat destruct Nat.eq_dec; lia.
Qed.

Lemma sum_swapped : forall r p f, (p < S r)%nat -> sum (S r) (fun i => f (swap p r i)) = sum (S r) f.
Proof.
  intros r p f Hp. destruct (Nat.eq_dec p r) as [->|N].
  - apply sum_ext. intros i Hi. unfold swap. destruct (Nat.eq_dec i r); subst; auto.
  - simpl. assert (E : forall n, (n <= r)%nat -> (p < n)%nat -> sum n (fun i => f (swap p r i)) + f p = sum n f + f r).
    { induction n as [|n IH]; intros Hn Hpn; [lia|]. simpl. destruct (Nat.eq_dec n p) as [->|Nn].
      - assert (S : sum p (fun i => f (swap p r i)) = sum p f).
        { apply sum_ext. intros i Hi. unfold swap. destruct (Nat.eq_dec i p), (Nat.eq_dec i r); try lia. }
        rewrite S. unfold swap. destruct (Nat.eq_dec p p); [lia|contradiction].
      - assert (swap p r n = n) as -> by (unfold swap; destruct (Nat.eq_dec n p), (Nat.eq_dec n r); lia).
        specialize (IH ltac:(lia) ltac:(lia)). lia. }
    specialize (E r ltac:(lia) ltac:(lia)).
    assert (swap p r r = p) as -> by (unfold swap; destruct (Nat.eq_dec r p), (Nat.eq_dec r r); lia). lia.
Qed.

(** More rows than columns: some whole combination of the rows, with coefficients that are not all 0, is 0. *)
Theorem rows_depend : forall k r (U : nat -> nat -> Z), (k < r)%nat ->
  exists c, (exists i, (i < r)%nat /\ c i <> 0) /\ forall j, (j < k)%nat -> sum r (fun i => c i * U i j) = 0.
Proof.
  induction k as [|k IH]; intros r U Hr.
  - exists (fun _ => 1). split; [exists 0%nat; split; [lia|discriminate]|]. intros j Hj. lia.
  - destruct r as [|r]; [lia|].
    destruct (find_entry (S r) (fun i => U i k)) as [(p & Hp & Np)|Z0].
    + (* Eliminate column k with the pivot row p, moved to the end. *)
      set (V := fun i => U (swap p r i)).
      assert (Vr : V r k = U p k) by (unfold V, swap; repeat destruct Nat.eq_dec; congruence).
      destruct (IH r (fun i j => V r k * V i j - V i k * V r j) ltac:(lia)) as (c & (i0 & Hi0 & Nc) & Hc).
      set (e := fun i => if Nat.eq_dec i r then - sum r (fun i => c i * V i k) else c i * V r k).
      exists (fun i => e (swap p r i)). split.
      * exists (swap p r i0). split; [apply swap_below; lia|]. rewrite swap_swap. unfold e.
        destruct (Nat.eq_dec i0 r); [lia|]. rewrite Vr. nia.
      * intros j Hj.
        assert (E : sum (S r) (fun i => e (swap p r i) * U i j) = sum (S r) (fun i => e i * V i j)).
        { rewrite <- (sum_swapped r p (fun i => e i * V i j) Hp). apply sum_ext. intros i Hi.
          unfold V. rewrite swap_swap. reflexivity. }
        rewrite E. simpl. unfold e at 2. destruct (Nat.eq_dec r r); [|contradiction].
        assert (E1 : sum r (fun i => e i * V i j) = V r k * sum r (fun i => c i * V i j)).
        { rewrite <- sum_scale. apply sum_ext. intros i Hi. unfold e. destruct (Nat.eq_dec i r); [lia|]. ring. }
        rewrite E1. destruct (Nat.eq_dec j k) as [->|Njk]; [ring|].
        specialize (Hc j ltac:(lia)).
        assert (E2 : sum r (fun i => c i * (V r k * V i j - V i k * V r j)) =
                     V r k * sum r (fun i => c i * V i j) - sum r (fun i => c i * V i k) * V r j).
        { rewrite (Z.mul_comm (sum r (fun i => c i * V i k))), <- !sum_scale.
          replace (sum r (fun i => V r k * (c i * V i j)) - sum r (fun i => V r j * (c i * V i k)))
            with (sum r (fun i => V r k * (c i * V i j)) + (-1) * sum r (fun i => V r j * (c i * V i k))) by ring.
          rewrite <- sum_scale, <- sum_add. apply sum_ext. intros i Hi. ring. }
        lia.
    + destruct (IH (S r) U ltac:(lia)) as (c & Hn & Hc). exists c. split; auto. intros j Hj.
      destruct (Nat.eq_dec j k) as [->|]; [|apply Hc; lia]. apply sum_zero. intros i Hi. rewrite Z0 by exact Hi. ring.
Qed.

(** A product of an r x k and a k x r matrix with an inverse (up to a factor d) has k >= r. *)
Theorem factors_at_least_rank : forall r k (U W B : nat -> nat -> Z) d, d <> 0 ->
  (forall i j, (i < r)%nat -> (j < r)%nat ->
     sum r (fun s => sum k (fun t => U i t * W t s) * B s j) = if Nat.eq_dec i j then d else 0) ->
  (r <= k)%nat.
Proof.
  intros r k U W B d Hd HB. destruct (le_lt_dec r k) as [|H]; auto. exfalso.
  destruct (rows_depend k r U H) as (c & (i0 & Hi0 & Nc) & Hc).
  assert (E : sum r (fun i => c i * sum r (fun s => sum k (fun t => U i t * W t s) * B s i0)) = 0).
  { transitivity (sum r (fun s => B s i0 * sum k (fun t => W t s * sum r (fun i => c i * U i t)))).
    - rewrite (sum_ext r _ (fun i => sum r (fun s => c i * (sum k (fun t => U i t * W t s) * B s i0))))
        by (intros; rewrite <- sum_scale; reflexivity).
      rewrite sum_swap. apply sum_ext. intros s Hs.
      rewrite <- sum_scale, (sum_ext r _ (fun i => B s i0 * sum k (fun t => c i * (U i t * W t s))))
        by (intros; rewrite sum_scale; ring).
      rewrite sum_scale, sum_swap, sum_scale. f_equal. apply sum_ext. intros t Ht.
      rewrite <- sum_scale. apply sum_ext. intros. ring.
    - apply sum_zero. intros s Hs. rewrite (sum_zero k); [ring|]. intros t Ht. rewrite Hc by exact Ht. ring. }
  assert (Z0 : forall j, (j < r)%nat -> j <> i0 -> c j * sum r (fun s => sum k (fun t => U j t * W t s) * B s i0) = 0).
  { intros j Hj Nj. rewrite HB by auto. destruct (Nat.eq_dec j i0); [contradiction|ring]. }
  rewrite (sum_one r i0 _ Hi0 Z0) in E.
  rewrite HB in E by auto. destruct (Nat.eq_dec i0 i0); [nia|contradiction].
Qed.

Section RankBound.
  Variables X Y : Type.
  Variable f : X -> Y -> Z.

  Fixpoint index_of (t : list nat) (l : list (list nat)) : nat :=
    match l with [] => 0 | u :: l => if list_eq_dec Nat.eq_dec u t then 0%nat else S (index_of t l) end.

  Lemma index_of_below : forall t l, In t l -> (index_of t l < length l)%nat.
  Proof.
    induction l as [|u l IH]; intros H; [contradiction|]. simpl. destruct (list_eq_dec Nat.eq_dec u t); [lia|].
    destruct H as [->|H]; [contradiction|]. specialize (IH H). lia.
  Qed.

  Lemma index_of_nth : forall t l, In t l -> nth (index_of t l) l [] = t.
  Proof.
    induction l as [|u l IH]; intros H; [contradiction|]. simpl. destruct (list_eq_dec Nat.eq_dec u t); auto.
    destruct H as [->|H]; [contradiction|]. auto.
  Qed.

  (** If both learn f, and r rows and columns form a minor with an inverse, then r <= 2^cost. *)
  Theorem rank_bound : forall p out out' r (rows : nat -> X) (columns : nat -> Y) (B : nat -> nat -> Z) d,
    keeps_to_range _ _ p -> bob_learns _ _ _ f p out -> alice_learns _ _ _ f p out' -> d <> 0 ->
    (forall i j, (i < r)%nat -> (j < r)%nat ->
       sum r (fun s => f (rows i) (columns s) * B s j) = if Nat.eq_dec i j then d else 0) ->
    (r <= 2 ^ cost _ _ p)%nat.
  Proof.
    intros p out out' r rows columns B d Hk Hb Ha Hd HB.
    rewrite <- (transcripts_at_most X Y p). set (T := transcripts X Y p).
    (* Transcript t: column s of W is 1 for the first t of y, and row i of U is its answer, if (x, some y) has it. *)
    assert (Fact : exists U W, forall i s, (i < r)%nat -> (s < r)%nat ->
      f (rows i) (columns s) = sum (length T) (fun t => U i t * W t s)).
    { set (has := fun x y t => if list_eq_dec Nat.eq_dec (transcript X Y p x y) (nth t T []) then true else false).
      set (rowhas := fun i t => existsb (fun s => has (rows i) (columns s) t) (seq 0 r)).
      set (colhas := fun t s => existsb (fun i => has (rows i) (columns s) t) (seq 0 r)).
      exists (fun i t => if rowhas i t then out' (rows i) (nth t T []) else 0),
             (fun t s => if andb (colhas t s) (Nat.eqb (index_of (nth t T []) T) t) then 1 else 0).
      intros i s Hi Hs. set (tr := transcript X Y p (rows i) (columns s)).
      assert (Hin : In tr T) by (apply in_transcripts; exact Hk).
      rewrite (sum_one (length T) (index_of tr T)); [|apply index_of_below; exact Hin|].
      - rewrite index_of_nth by exact Hin. rewrite Nat.eqb_refl.
        assert (Hh : has (rows i) (columns s) (index_of tr T) = true).
        { unfold has. rewrite index_of_nth by exact Hin. fold tr. destruct (list_eq_dec Nat.eq_dec tr tr); auto. }
        assert (rowhas i (index_of tr T) = true) as ->.
        { apply existsb_exists. exists s. split; [apply in_seq; lia|exact Hh]. }
        assert (colhas (index_of tr T) s = true) as ->.
        { apply existsb_exists. exists i. split; [apply in_seq; lia|exact Hh]. }
        simpl. unfold tr. rewrite Ha. lia.
      - intros t Ht Nt. destruct (rowhas i t) eqn:R; [|lia]. destruct (colhas t s) eqn:C; [|simpl; lia].
        destruct (Nat.eqb_spec (index_of (nth t T []) T) t) as [I|]; [|simpl; lia]. exfalso.
        (* By the rectangle, (row i, column s) has the transcript t. *)
        apply existsb_exists in R, C. destruct R as (s' & _ & R), C as (i' & _ & C). unfold has in R, C.
        destruct (list_eq_dec Nat.eq_dec (transcript X Y p (rows i) (columns s')) (nth t T [])) as [R'|]; [|discriminate].
        destruct (list_eq_dec Nat.eq_dec (transcript X Y p (rows i') (columns s)) (nth t T [])) as [C'|]; [|discriminate].
        destruct (rectangle X Y p (rows i) (columns s') (rows i') (columns s)) as [E _]; [congruence|].
        apply Nt. rewrite <- I. f_equal. unfold tr. congruence. }
    destruct Fact as (U & W & Fact). apply (factors_at_least_rank r (length T) U W B d Hd).
    intros i j Hi Hj. rewrite <- (HB i j Hi Hj). apply sum_ext. intros s Hs. rewrite <- Fact by auto. reflexivity.
  Qed.
End RankBound.

(** The unit matrix of r rows: is x equal to y? An input above r - 1 counts as r - 1. *)
Definition same_below (r x y : nat) : Z := if Nat.eq_dec (Nat.min x (r - 1)) (Nat.min y (r - 1)) then 1 else 0.

Theorem identity_costs : forall p out out' r,
  keeps_to_range nat nat p -> bob_learns _ _ _ (same_below r) p out -> alice_learns _ _ _ (same_below r) p out' ->
  (r <= 2 ^ cost _ _ p)%nat.
Proof.
  intros p out out' r Hk Hb Ha.
  apply (rank_bound nat nat (same_below r) p out out' r (fun i => i) (fun i => i)
    (fun s j => if Nat.eq_dec s j then 1 else 0) 1); auto; [discriminate|].
  intros i j Hi Hj. unfold same_below. rewrite (sum_one r j); auto.
  - rewrite !Nat.min_l by lia. destruct (Nat.eq_dec j j); [|contradiction]. destruct (Nat.eq_dec i j); reflexivity.
  - intros s Hs Ns. destruct (Nat.eq_dec s j); [contradiction|]. ring.
Qed.

(** Alice says x and Bob says y, each below 3, so both know if they are equal. *)
Definition say_both : protocol nat nat :=
  Alice _ _ 3 (fun x => Nat.min x 2) (fun _ => Bob _ _ 3 (fun y => Nat.min y 2) (fun _ => Done _ _)).

Example three_equal_numbers : (3 <= 2 ^ cost _ _ say_both)%nat /\ (3 <= 2 ^ cost _ _ say_both)%nat.
Proof.
  set (out := fun (_ : nat) t => if Nat.eq_dec (hd 0%nat t) (hd 0%nat (tl t)) then 1 else 0).
  assert (K : keeps_to_range _ _ say_both) by (split; [intros x; lia|intros i _; split; [intros y; lia|intros j _; exact I]]).
  assert (B : bob_learns _ _ _ (same_below 3) say_both out) by (intros x y; reflexivity).
  split; [apply (identity_costs _ out out); auto|].
  apply (rank_bound _ _ (same_below 3) _ out out 3 (fun i => i) (fun i => i) (fun s j => if Nat.eq_dec s j then 1 else 0) 1);
    auto;
    [discriminate|].
  intros i j Hi Hj. assert (i = 0 \/ i = 1 \/ i = 2)%nat as [->|[->| ->]] by lia;
    assert (j = 0 \/ j = 1 \/ j = 2)%nat as [->|[->| ->]] by lia; reflexivity.
Qed.

(** Two rows of one number depend on each other, and the unit matrix of two rows is a product over two columns. *)
Example small_ranks : (exists c, (exists i, (i < 2)%nat /\ c i <> 0) /\
    (forall j, (j < 1)%nat -> sum 2 (fun i => c i * (fun i j => Z.of_nat (i + j)) i j) = 0)) /\ (2 <= 2)%nat.
Proof.
  split; [apply rows_depend; lia|].
  set (one := fun i j : nat => if Nat.eq_dec i j then 1 else 0). apply (factors_at_least_rank 2 2 one one one 1);
    [discriminate|].
  intros i j Hi Hj. assert (i = 0 \/ i = 1)%nat as [->| ->] by lia; assert (j = 0 \/ j = 1)%nat as [->| ->] by lia; reflexivity.
Qed.
