(** Lists of edges that form a tree: how many states a recurrent model needs.

    In words. A model reads n - 1 edges on n vertices, two vertices each, and answers whether they form a tree. Loops and
    repeated edges are allowed. Take the beginnings with n - b edges and the first end of one more edge. They fall into b S(n,
    b) + 1 classes that some continuation distinguishes: a partition of the vertices into b blocks and the block of the first
    end, or a cycle. Here S(n, b) is the number of partitions of n vertices into b blocks (Stirling, second kind). So every
    recurrent model that answers rightly has at least b S(n, b) + 1 states, for every b from 2 to n - 1 ([is_tree_state]).

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7; the exact number is our own. In Python: [is-tree-state].

    The hypotheses, for a real model. The edges come in any order, and the model may write a chain of thought ([answers_as]). It
    must be right on lists with loops and repeated edges ([is_edges]); for simple graphs see [SimpleGraphs]. The tokens [BOS]
    and ~ say nothing, so they do not occur here. That n - 1 edges form a tree exactly if no edge closes a cycle is the
    definition of [tree], as in Python's checker; [join] gives both ends of an edge one label. *)

From Coq Require Import List Arith Lia FinFun Bool.
From Seqsep Require Import Words OneWay.
Import ListNotations.

(** The labels of the vertices after one more edge: the block of u gets the label of v. *)
Definition join (f : nat -> nat) (u v x : nat) : nat := if f x =? f u then f v else f x.

(** No edge of the list has both ends in one block. *)
Fixpoint forest (f : nat -> nat) (w : list nat) : bool :=
  match w with
  | u :: v :: w => if f u =? f v then false else forest (join f u v) w
  | _ => true
  end.

Definition tree (w : list nat) : bool := forest (fun x => x) w.

Lemma forest_ext : forall k w f g, length w <= k -> (forall x, f x = g x) -> forest f w = forest g w.
Proof.
  induction k as [|k IH]; intros [|u [|v w]] f g L E; simpl in *; auto; try lia.
  rewrite !E. destruct (g u =? g v); auto. apply IH; [lia|]. intros x. unfold join. rewrite !E. reflexivity.
Qed.

Lemma search : forall (p : nat -> bool) n, (exists x, x < n /\ p x = true) \/ (forall x, x < n -> p x = false).
Proof.
  induction n as [|n [(x & Hx & P)|H]]; [right; lia|left; exists x; split; [lia|exact P]|].
  destruct (p n) eqn:E; [left; exists n; split; [lia|exact E]|].
  right. intros x Hx. destruct (Nat.eq_dec x n) as [->|]; auto. apply H. lia.
Qed.

Lemma filter_minus : forall (p q : nat -> bool) a l, NoDup l -> In a l -> p a = true ->
  (forall x, In x l -> q x = p x && negb (x =? a)) -> S (length (filter q l)) = length (filter p l).
Proof.
  intros p q a. induction l as [|x l IH]; intros N Ha Pa Hq; [destruct Ha|].
  inversion N as [|? ? Nx Nl]; subst. simpl. rewrite (Hq x (or_introl eq_refl)).
  destruct (Nat.eqb_spec x a) as [->|Ne].
  - rewrite Pa. simpl. f_equal. f_equal. apply filter_ext_in. intros y Hy. rewrite (Hq y (or_intror Hy)).
    destruct (Nat.eqb_spec y a) as [->|]; [contradiction|]. destruct (p y); reflexivity.
  - destruct Ha as [|Ha]; [contradiction|]. specialize (IH Nl Ha Pa (fun y Hy => Hq y (or_intror Hy))).
    destruct (p x); simpl; rewrite <- IH; reflexivity.
Qed.

Section Vertices.
  Variable n : nat.

  (** A label is a vertex of its block. *)
  Definition good (f : nat -> nat) : Prop := forall x, x < n -> f x < n /\ f (f x) = f x.
  Definition roots (f : nat -> nat) : list nat := filter (fun x => f x =? x) (seq 0 n).

  Lemma in_roots : forall f r, In r (roots f) <-> r < n /\ f r = r.
  Proof. intros. unfold roots. rewrite filter_In, in_seq, Nat.eqb_eq. split; intros; split; try tauto; lia. Qed.

  Lemma roots_nodup : forall f, NoDup (roots f).
  Proof. intros. apply NoDup_filter, seq_NoDup. Qed.

  Lemma join_good : forall f u v, good f -> u < n -> v < n -> f u <> f v -> good (join f u v).
  Proof.
    intros f u v G Hu Hv Ne x Hx. unfold join. destruct (G x Hx) as [B I], (G v Hv) as [Bv Iv].
    destruct (Nat.eqb_spec (f x) (f u)) as [E|E].
    - split; auto. rewrite Iv. destruct (Nat.eqb_spec (f v) (f u)); congruence.
    - split; auto. rewrite I. destruct (Nat.eqb_spec (f x) (f u)); congruence.
  Qed.

  (** An edge between two blocks makes one block of them. *)
  Lemma join_roots : forall f u v, good f -> u < n -> v < n -> f u <> f v ->
    S (length (roots (join f u v))) = length (roots f).
  Proof.
    intros f u v G Hu Hv Ne. destruct (G u Hu) as [Bu Iu], (G v Hv) as [Bv Iv].
    apply (filter_minus (fun x => f x =? x) _ (f u)); [apply seq_NoDup|apply in_seq; lia|apply Nat.eqb_eq; exact Iu|].
    intros x Hx. apply in_seq in Hx. unfold join.
    destruct (Nat.eqb_spec (f x) (f u)) as [E|E], (Nat.eqb_spec (f x) x), (Nat.eqb_spec x (f u)); simpl;
      first [congruence | apply Nat.eqb_neq; congruence | apply Nat.eqb_eq; congruence].
  Qed.

  Definition below (w : list nat) : Prop := forall x, In x w -> x < n.

  (** Edges from other blocks to that of vertex 0 complete a forest to a tree. *)
  Lemma completes : forall vs f, 0 < n -> good f -> (forall x, x < n -> In x vs \/ f x = f 0) -> below vs ->
    exists q, forest f q = true /\ length q + 2 = 2 * length (roots f) /\ below q.
  Proof.
    induction vs as [|v vs IH]; intros f Hn G H Hv.
    - exists []. split; [reflexivity|]. split; [|intros x []].
      assert (S (length (filter (fun _ => false) (seq 0 n))) = length (roots f)) as <-.
      { destruct (G 0 Hn) as [B I]. apply (filter_minus (fun x => f x =? x) _ (f 0)).
        - apply seq_NoDup.
        - apply in_seq. lia.
        - apply Nat.eqb_eq. exact I.
        - intros x Hx. apply in_seq in Hx. destruct (H x ltac:(lia)) as [[]|E].
          rewrite E. rewrite (Nat.eqb_sym x). destruct (f 0 =? x); reflexivity. }
      assert (filter (fun _ : nat => false) (seq 0 n) = []) as ->.
      { generalize (seq 0 n). induction l; auto. }
      reflexivity.
    - assert (Bv : v < n) by (apply Hv; left; reflexivity).
      destruct (Nat.eq_dec (f v) (f 0)) as [E|E].
      + apply IH; auto.
        * intros x Hx. destruct (H x Hx) as [[<-|]|]; auto.
        * intros x Hx. apply Hv. right. exact Hx.
      + destruct (IH (join f v 0)) as (q & F & L & B); auto using join_good.
        * intros x Hx. unfold join. destruct (Nat.eqb_spec (f 0) (f v)) as [D|_]; [congruence|].
          destruct (Nat.eqb_spec (f x) (f v)); auto. destruct (H x Hx) as [[<-|]|]; auto. contradiction.
        * intros x Hx. apply Hv. right. exact Hx.
        * exists (v :: 0 :: q). split; [|split].
          -- simpl. destruct (Nat.eqb_spec (f v) (f 0)); [contradiction|exact F].
          -- pose proof (join_roots f v 0 G Bv Hn E). simpl. lia.
          -- intros x [<-|[<-|Hx]]; auto.
  Qed.

  Corollary completed : forall f, 0 < n -> good f ->
    exists q, forest f q = true /\ length q + 2 = 2 * length (roots f) /\ below q.
  Proof.
    intros f Hn G. apply (completes (seq 0 n)); auto.
    - intros x Hx. left. apply in_seq. lia.
    - intros x Hx. apply in_seq in Hx. lia.
  Qed.
End Vertices.

(** ** Partitions, by the least vertex of each block. The label of a vertex beyond the list is the vertex. *)

Definition label (l : list nat) (x : nat) : nat := nth x l x.

Lemma label_old : forall l r x, x < length l -> label (l ++ [r]) x = label l x.
Proof. intros. unfold label. apply app_nth1. exact H. Qed.

Lemma label_new : forall l r, label (l ++ [r]) (length l) = r.
Proof. intros. unfold label. rewrite app_nth2, Nat.sub_diag by lia. reflexivity. Qed.

Lemma label_beyond : forall l x, length l <= x -> label l x = x.
Proof. intros. unfold label. apply nth_overflow. exact H. Qed.

(** A new vertex is a block of its own, or belongs to the block of an earlier least vertex. *)
Inductive canonical : list nat -> Prop :=
| canonical_nil : canonical []
| canonical_add : forall l r, canonical l -> r <= length l -> label l r = r -> canonical (l ++ [r]).

Lemma label_le : forall l, canonical l -> forall x, label l x <= x.
Proof.
  induction 1 as [|l r C IH Hr Er]; intros x; [destruct x; simpl; auto|].
  destruct (lt_eq_lt_dec x (length l)) as [[H| ->]|H].
  - rewrite label_old by exact H. apply IH.
  - rewrite label_new. exact Hr.
  - rewrite label_beyond; auto. rewrite app_length. simpl. lia.
Qed.

Lemma label_label : forall l, canonical l -> forall x, label l (label l x) = label l x.
Proof.
  induction 1 as [|l r C IH Hr Er]; intros x; [destruct x; reflexivity|].
  assert (Old : forall y, label l y = y -> y <= length l -> (y = length l -> r = length l) -> label (l ++ [r]) y = y).
  { intros y E Hy New. destruct (Nat.eq_dec y (length l)) as [->|Ne].
    - rewrite label_new. auto.
    - rewrite label_old by lia. exact E. }
  destruct (lt_eq_lt_dec x (length l)) as [[H| ->]|H].
  - rewrite (label_old l r x) by exact H. pose proof (label_le l C x). apply Old; auto; lia.
  - rewrite label_new. apply Old; auto.
  - rewrite (label_beyond (l ++ [r]) x) by (rewrite app_length; simpl; lia). apply label_beyond. rewrite app_length. simpl. lia.
Qed.

Lemma canonical_good : forall l, canonical l -> good (length l) (label l).
Proof. intros l C x Hx. pose proof (label_le l C x). split; [lia|apply label_label; exact C]. Qed.

Definition blocks (l : list nat) : list nat := roots (length l) (label l).

Lemma blocks_add : forall l r, r <= length l ->
  blocks (l ++ [r]) = blocks l ++ (if r =? length l then [length l] else []).
Proof.
  intros l r Hr. unfold blocks, roots. rewrite app_length. simpl. rewrite Nat.add_1_r, seq_S, filter_app. f_equal.
  - apply filter_ext_in. intros x Hx. apply in_seq in Hx. rewrite label_old by lia. reflexivity.
  - simpl. rewrite label_new. reflexivity.
Qed.

(** All partitions of n vertices into b blocks, and their number. *)
Fixpoint partitions (n b : nat) : list (list nat) :=
  match n with
  | 0 => match b with 0 => [[]] | S _ => [] end
  | S n => match b with 0 => [] | S c => map (fun l => l ++ [n]) (partitions n c) end
           ++ flat_map (fun l => map (fun r => l ++ [r]) (blocks l)) (partitions n b)
  end.

Fixpoint stirling (n b : nat) : nat :=
  match n with
  | 0 => match b with 0 => 1 | S _ => 0 end
  | S n => match b with 0 => 0 | S c => stirling n c end + b * stirling n b
  end.

Lemma partitions_spec : forall n b l, In l (partitions n b) -> canonical l /\ length l = n /\ length (blocks l) = b.
Proof.
  induction n as [|n IH]; intros b l H.
  - destruct b; simpl in H; [destruct H as [<-|[]]|contradiction]. repeat split. constructor.
  - simpl in H. apply in_app_iff in H. destruct H as [H|H].
    + destruct b as [|b]; [destruct H|]. apply in_map_iff in H. destruct H as (m & <- & Hm).
      destruct (IH b m Hm) as (C & L & B). rewrite <- L. split; [|split].
      * constructor; auto. apply label_beyond. lia.
      * rewrite app_length. simpl. lia.
      * rewrite blocks_add, Nat.eqb_refl, app_length, B by lia. simpl. lia.
    + apply in_flat_map in H. destruct H as (m & Hm & H). apply in_map_iff in H. destruct H as (r & <- & Hr).
      destruct (IH b m Hm) as (C & L & B). apply in_roots in Hr. destruct Hr as [Hr E]. split; [|split].
      * constructor; auto. lia.
      * rewrite app_length. simpl. lia.
      * rewrite blocks_add by lia. destruct (Nat.eqb_spec r (length m)); [lia|]. rewrite app_nil_r. exact B.
Qed.

Lemma snoc_injective : forall (l m : list nat) a b, l ++ [a] = m ++ [b] -> l = m /\ a = b.
Proof. intros l m a b E. apply app_inj_tail in E. exact E. Qed.

Lemma partitions_length : forall n b, length (partitions n b) = stirling n b.
Proof.
  induction n as [|n IH]; intros b; [destruct b; reflexivity|]. simpl. rewrite app_length. f_equal.
  - destruct b; auto. rewrite map_length. apply IH.
  - rewrite (length_flat_map_same _ _ b), IH; [apply Nat.mul_comm|].
    intros l Hl. rewrite map_length. apply partitions_spec in Hl. tauto.
Qed.

Lemma NoDup_flat_map : forall {A B} (f : A -> list B) l, NoDup l -> (forall a, In a l -> NoDup (f a)) ->
  (forall a a' b, In a l -> In a' l -> In b (f a) -> In b (f a') -> a = a') -> NoDup (flat_map f l).
Proof.
  intros A B f. induction l as [|a l IH]; intros N Nf Inj; simpl; [constructor|]. inversion N; subst.
  apply NoDup_app_disjoint.
  - apply Nf. left. reflexivity.
  - apply IH; auto; intros; [apply Nf|eapply Inj]; simpl; eauto.
  - intros b Hb Hb'. apply in_flat_map in Hb'. destruct Hb' as (a' & Ha' & Hb').
    assert (a = a') as <- by (eapply Inj; simpl; eauto). contradiction.
Qed.

Lemma partitions_nodup : forall n b, NoDup (partitions n b).
Proof.
  induction n as [|n IH]; intros b; [destruct b; repeat constructor; intros []|]. simpl. apply NoDup_app_disjoint.
  - destruct b; [constructor|]. apply Injective_map_NoDup; auto. intros l m E. apply snoc_injective in E. tauto.
  - apply NoDup_flat_map; auto.
    + intros l _. apply Injective_map_NoDup; [|apply roots_nodup]. intros r s E. apply snoc_injective in E. tauto.
    + intros l m w _ _ Hl Hm. apply in_map_iff in Hl, Hm. destruct Hl as (r & <- & _), Hm as (s & E & _).
      apply snoc_injective in E. destruct E. auto.
  - intros w Hw Hw'. apply in_flat_map in Hw'. destruct Hw' as (l & Hl & Hw'). apply in_map_iff in Hw'.
    destruct Hw' as (r & <- & Hr). destruct b as [|b]; [destruct Hw|]. apply in_map_iff in Hw. destruct Hw as (m & E & Hm).
    apply snoc_injective in E. destruct E as [_ <-]. apply partitions_spec in Hl. apply in_roots in Hr. lia.
Qed.

(** ** A beginning for each partition: an edge from each vertex to the least of its block. *)

Definition star (l : list nat) : list nat :=
  flat_map (fun x => if label l x =? x then [] else [x; label l x]) (seq 0 (length l)).

Lemma star_add : forall l r, star (l ++ [r]) = star l ++ (if r =? length l then [] else [length l; r]).
Proof.
  intros l r. unfold star. rewrite app_length. simpl. rewrite Nat.add_1_r, seq_S, flat_map_app. f_equal.
  - rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros x Hx. apply in_seq in Hx. rewrite label_old by lia.
    reflexivity.
  - simpl. rewrite label_new, app_nil_r. reflexivity.
Qed.

Lemma star_length : forall l, canonical l -> length (star l) + 2 * length (blocks l) = 2 * length l.
Proof.
  induction 1 as [|l r C IH Hr Er]; [reflexivity|]. rewrite star_add, blocks_add, !app_length by exact Hr.
  destruct (r =? length l); simpl in *; lia.
Qed.

Lemma star_below : forall l, canonical l -> below (length l) (star l).
Proof.
  intros l C x Hx. apply in_flat_map in Hx. destruct Hx as (y & Hy & Hx). apply in_seq in Hy.
  pose proof (label_le l C y). destruct (label l y =? y); [destruct Hx|]. destruct Hx as [<-|[<-|[]]]; lia.
Qed.

(** After the beginning the blocks are those of the partition. *)
Lemma star_blocks : forall l, canonical l -> forall q, forest (fun x => x) (star l ++ q) = forest (label l) q.
Proof.
  induction 1 as [|l r C IH Hr Er]; intros q.
  - apply (forest_ext (length q)); auto. intros [|x]; reflexivity.
  - rewrite star_add, <- app_assoc, IH. destruct (Nat.eqb_spec r (length l)) as [->|Ne]; simpl.
    + apply (forest_ext (length q)); auto. intros x. destruct (lt_eq_lt_dec x (length l)) as [[H| ->]|H].
      * rewrite label_old; auto.
      * rewrite label_new. apply label_beyond. lia.
      * rewrite !label_beyond; auto; rewrite ?app_length; simpl; lia.
    + rewrite (label_beyond l (length l)), Er by lia. destruct (Nat.eqb_spec (length l) r); [congruence|].
      apply (forest_ext (length q)); auto. intros x. unfold join. rewrite (label_beyond l (length l)), Er by lia.
      destruct (lt_eq_lt_dec x (length l)) as [[H| ->]|H].
      * rewrite label_old by exact H. pose proof (label_le l C x). destruct (Nat.eqb_spec (label l x) (length l)); [lia|auto].
      * rewrite label_new, (label_beyond l (length l)), Nat.eqb_refl by lia. reflexivity.
      * rewrite (label_beyond l x) by lia. destruct (Nat.eqb_spec x (length l)); [lia|].
        rewrite label_beyond; auto. rewrite app_length. simpl. lia.
Qed.

(** Two partitions into equally many blocks: some edge joins two blocks of one, and closes a cycle in the other. *)
Lemma neither_refines : forall n b l m, In l (partitions n b) -> In m (partitions n b) -> l <> m ->
  exists x, x < n /\ label l x <> label l (label m x).
Proof.
  intros n b l m Hl Hm Ne. apply partitions_spec in Hl, Hm. destruct Hl as (Cl & Ll & Bl), Hm as (Cm & Lm & Bm).
  destruct (search (fun x => negb (label l x =? label l (label m x))) n) as [(x & Hx & P)|H].
  - exists x. split; auto. apply Nat.eqb_neq, Bool.negb_true_iff. exact P.
  - exfalso. apply Ne.
    assert (E : forall x, x < n -> label l x = label l (label m x)).
    { intros x Hx. apply Nat.eqb_eq. specialize (H x Hx). destruct (label l x =? label l (label m x)); auto; discriminate. }
    assert (I : incl (blocks l) (blocks m)).
    { intros r Hr. unfold blocks in *. rewrite Ll in Hr. rewrite Lm. apply in_roots in Hr. apply in_roots.
      destruct Hr as [Hr Er]. split; auto. pose proof (E r Hr). pose proof (label_le m Cm r).
      pose proof (label_le l Cl (label m r)). lia. }
    assert (J : incl (blocks m) (blocks l)).
    { apply NoDup_length_incl; auto; [apply roots_nodup|lia]. }
    apply (nth_ext l m 0 0); [congruence|]. intros x Hx. rewrite (nth_indep l 0 x), (nth_indep m 0 x) by lia.
    change (label l x = label m x). rewrite (E x) by lia.
    assert (R : In (label m x) (blocks m)).
    { unfold blocks. rewrite Lm. apply in_roots. pose proof (label_le m Cm x). split; [lia|apply label_label; exact Cm]. }
    apply J in R. unfold blocks in R. apply in_roots in R. tauto.
Qed.

Section Bound.
  Variables n b : nat.
  Hypothesis two_blocks : 2 <= b.
  Hypothesis an_edge : b < n.

  Definition is_edges (w : list nat) : Prop := length w = 2 * (n - 1) /\ below n w.

  (** A class: a partition, and the least vertex of the block of the first end. *)
  Definition classes : list (list nat * nat) := flat_map (fun l => map (pair l) (blocks l)) (partitions n b).
  Definition beginning (c : list nat * nat) : list nat := star (fst c) ++ [snd c].
  Definition cycle : list nat := repeat 0 (2 * (n - b) + 1).
  Definition beginnings : list (list nat) := cycle :: map beginning classes.

  Lemma classes_spec : forall c, In c classes -> In (fst c) (partitions n b) /\ snd c < n /\ label (fst c) (snd c) = snd c.
  Proof.
    intros c H. apply in_flat_map in H. destruct H as (l & Hl & H). apply in_map_iff in H. destruct H as (r & <- & Hr).
    simpl. split; auto. apply partitions_spec in Hl. destruct Hl as (_ & L & _). unfold blocks in Hr. rewrite L in Hr.
    apply in_roots in Hr. exact Hr.
  Qed.

  Lemma classes_length : length classes = b * stirling n b.
  Proof.
    unfold classes. rewrite (length_flat_map_same _ _ b), partitions_length; [apply Nat.mul_comm|].
    intros l Hl. rewrite map_length. apply partitions_spec in Hl. tauto.
  Qed.

  Lemma classes_nodup : NoDup classes.
  Proof.
    apply NoDup_flat_map; [apply partitions_nodup| |].
    - intros l _. apply Injective_map_NoDup; [intros r s E; congruence|apply roots_nodup].
    - intros l m c _ _ Hl Hm. apply in_map_iff in Hl, Hm. destruct Hl as (r & <- & _), Hm as (s & E & _). congruence.
  Qed.

  Lemma beginning_length : forall c, In c classes -> length (beginning c) = 2 * (n - b) + 1.
  Proof.
    intros c H. apply classes_spec in H. destruct H as (H & _ & _). apply partitions_spec in H. destruct H as (C & L & B).
    unfold beginning. rewrite app_length. simpl. pose proof (star_length _ C). lia.
  Qed.

  (** The rest after a second end v in another block: it completes the tree of this class. *)
  Lemma rest_of : forall c v, In c classes -> v < n -> label (fst c) v <> snd c ->
    exists q, length q = 2 * (b - 2) /\ below n q /\ tree (beginning c ++ v :: q) = true.
  Proof.
    intros [l a] v H Hv Ne. apply classes_spec in H. simpl in *. destruct H as (H & Ha & Ea).
    apply partitions_spec in H. destruct H as (C & L & B).
    pose proof (canonical_good l C) as G. rewrite L in G.
    assert (D : label l a <> label l v) by congruence.
    destruct (completed n (join (label l) a v)) as (q & F & Lq & Bq); [lia|apply join_good; auto|].
    pose proof (join_roots n (label l) a v G Ha Hv D) as R. unfold blocks in B. rewrite L in B.
    exists q. split; [lia|split; auto].
    unfold tree, beginning. simpl. rewrite <- app_assoc, star_blocks by exact C. simpl.
    destruct (Nat.eqb_spec (label l a) (label l v)); [contradiction|exact F].
  Qed.

  Lemma closes_cycle : forall c v q, In c classes -> label (fst c) v = snd c -> tree (beginning c ++ v :: q) = false.
  Proof.
    intros [l a] v q H E. apply classes_spec in H. simpl in *. destruct H as (H & Ha & Ea).
    apply partitions_spec in H. destruct H as (C & L & B).
    unfold tree, beginning. simpl. rewrite <- app_assoc, star_blocks by exact C. simpl. rewrite Ea, E, Nat.eqb_refl.
    reflexivity.
  Qed.

  Lemma another_block : forall c, In c classes -> exists v, v < n /\ label (fst c) v <> snd c.
  Proof.
    intros [l a] H. apply classes_spec in H. simpl in *. destruct H as (H & Ha & Ea).
    apply partitions_spec in H. destruct H as (C & L & B). unfold blocks in B. rewrite L in B.
    destruct (search (fun v => negb (label l v =? a)) n) as [(v & Hv & P)|Q].
    - exists v. split; auto. apply Nat.eqb_neq, Bool.negb_true_iff. exact P.
    - exfalso. assert (I : incl (roots n (label l)) [a]).
      { intros r Hr. apply in_roots in Hr. destruct Hr as [Hr Er]. specialize (Q r Hr). left.
        destruct (Nat.eqb_spec (label l r) a); [congruence|discriminate]. }
      apply NoDup_incl_length in I; [simpl in I; lia|apply roots_nodup].
  Qed.

  (** Every two classes are distinguished: some continuation completes a tree in exactly one of them. *)
  Lemma classes_differ : forall c d, In c classes -> In d classes -> c <> d ->
    exists q, length q = 2 * (b - 2) + 1 /\ below n q /\ tree (beginning c ++ q) <> tree (beginning d ++ q).
  Proof.
    intros c d Hc Hd Ne.
    destruct (classes_spec c Hc) as (Pc & Ac & Ec), (classes_spec d Hd) as (Pd & Ad & Ed).
    destruct (partitions_spec _ _ _ Pc) as (Cc & Lc & Bc), (partitions_spec _ _ _ Pd) as (Cd & Ld & Bd).
    destruct (search (fun v => negb (Bool.eqb (label (fst c) v =? snd c) (label (fst d) v =? snd d))) n) as [(v & Hv & P)|Same].
    - (* The block of the first end differs: the second end is in one of both. *)
      destruct (Nat.eqb_spec (label (fst c) v) (snd c)) as [E|E], (Nat.eqb_spec (label (fst d) v) (snd d)) as [F|F];
        try discriminate P.
      + destruct (rest_of d v Hd Hv F) as (q & Lq & Bq & T). exists (v :: q). split; [simpl; lia|split].
        * intros x [<-|Hx]; auto.
        * rewrite T, (closes_cycle c v q Hc E). discriminate.
      + destruct (rest_of c v Hc Hv E) as (q & Lq & Bq & T). exists (v :: q). split; [simpl; lia|split].
        * intros x [<-|Hx]; auto.
        * rewrite T, (closes_cycle d v q Hd F). discriminate.
    - (* It is the same block: the partitions differ, outside of it. *)
      assert (S : forall v, v < n -> label (fst c) v = snd c <-> label (fst d) v = snd d).
      { intros v Hv. specialize (Same v Hv).
        destruct (Nat.eqb_spec (label (fst c) v) (snd c)), (Nat.eqb_spec (label (fst d) v) (snd d)); try discriminate; tauto. }
      destruct c as [l a], d as [m a']. simpl in *.
      assert (a = a') as <-.
      { pose proof (proj1 (S a Ac) Ec). pose proof (proj2 (S a' Ad) Ed).
        pose proof (label_le m Cd a). pose proof (label_le l Cc a'). lia. }
      assert (Nl : l <> m) by congruence.
      destruct (neither_refines n b l m Pc Pd Nl) as (x & Hx & Dx). set (y := label m x) in *.
      assert (Hy : y < n) by (pose proof (label_le m Cd x); unfold y; lia).
      assert (My : label m y = y) by (apply label_label; exact Cd).
      assert (Nx : label l x <> a).
      { intros E. pose proof (proj1 (S x Hx) E) as E'. fold y in E'. apply Dx. rewrite E, E', Ec. reflexivity. }
      assert (Nx' : y <> a) by (intros E; apply Nx, (S x Hx); exact E).
      assert (Ny : label l y <> a) by (intros E; apply (S y Hy) in E; congruence).
      pose proof (canonical_good l Cc) as G. rewrite Lc in G.
      assert (D1 : label l a <> label l x) by congruence.
      pose proof (join_good n (label l) a x G Ac Hx D1) as G1.
      set (f := join (label l) a x) in *.
      assert (fx : f x = label l x) by (unfold f, join; destruct (label l x =? label l a); reflexivity).
      assert (fy : f y = label l y) by (unfold f, join; destruct (Nat.eqb_spec (label l y) (label l a)); congruence).
      assert (D2 : f x <> f y) by congruence.
      destruct (completed n (join f x y)) as (q & F & Lq & Bq); [lia|apply join_good; auto|].
      pose proof (join_roots n (label l) a x G Ac Hx D1) as R1. fold f in R1.
      pose proof (join_roots n f x y G1 Hx Hy D2) as R2.
      unfold blocks in Bc. rewrite Lc in Bc.
      exists (x :: x :: y :: q). split; [simpl; lia|split].
      + intros z [<-|[<-|[<-|Hz]]]; auto.
      + unfold tree, beginning. simpl. rewrite <- !app_assoc, !star_blocks by auto. simpl. fold f.
        destruct (Nat.eqb_spec (label l a) (label l x)); [contradiction|].
        destruct (Nat.eqb_spec (f x) (f y)); [contradiction|]. rewrite F.
        rewrite Ed. fold y. destruct (Nat.eqb_spec a y); [congruence|].
        assert (join (label m) a x x = y) as ->.
        { unfold join. destruct (label m x =? label m a); reflexivity. }
        assert (join (label m) a x y = y) as ->.
        { unfold join. rewrite My, Ed. destruct (Nat.eqb_spec y a); [contradiction|reflexivity]. }
        rewrite Nat.eqb_refl. discriminate.
  Qed.

  Lemma cycle_differs : forall c, In c classes ->
    exists q, length q = 2 * (b - 2) + 1 /\ below n q /\ tree (cycle ++ q) <> tree (beginning c ++ q).
  Proof.
    intros c Hc. destruct (another_block c Hc) as (v & Hv & Ne). destruct (rest_of c v Hc Hv Ne) as (q & Lq & Bq & T).
    exists (v :: q). split; [simpl; lia|split].
    - intros x [<-|Hx]; auto.
    - rewrite T. unfold cycle. replace (2 * (n - b) + 1) with (S (S (2 * (n - b) - 1))) by lia. discriminate.
  Qed.

  Lemma beginnings_range : forall p q, In p beginnings -> length q = 2 * (b - 2) + 1 -> below n q -> is_edges (p ++ q).
  Proof.
    intros p q Hp Lq Bq. split.
    - rewrite app_length, Lq. destruct Hp as [<-|Hp].
      + unfold cycle. rewrite repeat_length. lia.
      + apply in_map_iff in Hp. destruct Hp as (c & <- & Hc). rewrite beginning_length by exact Hc. lia.
    - intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx|Hx]; auto. destruct Hp as [<-|Hp].
      + apply repeat_spec in Hx. lia.
      + apply in_map_iff in Hp. destruct Hp as (c & <- & Hc). apply classes_spec in Hc. destruct Hc as (Pc & Ac & _).
        apply partitions_spec in Pc. destruct Pc as (C & L & _). apply in_app_iff in Hx. destruct Hx as [Hx|[<-|[]]]; auto.
        rewrite <- L. apply star_below; auto.
  Qed.

  Theorem is_tree_state : forall (M : Recurrent nat) d answer k,
    answers_as nat bool M d answer -> is_right nat bool is_edges tree answer ->
    states_below nat M k beginnings -> b * stirling n b + 1 <= k.
  Proof.
    intros M d answer k Ha Hr Hs.
    replace (b * stirling n b + 1) with (length beginnings)
      by (unfold beginnings; simpl; rewrite map_length, classes_length; lia).
    assert (N : NoDup beginnings).
    { constructor.
      - intros H. apply in_map_iff in H. destruct H as (c & E & Hc). destruct (cycle_differs c Hc) as (q & _ & _ & D).
        apply D. rewrite E. reflexivity.
      - assert (G : forall l, incl l classes -> NoDup l -> NoDup (map beginning l)).
        { induction l as [|c l IH]; intros I Nl; simpl; constructor; inversion Nl; subst.
          - intros H. apply in_map_iff in H. destruct H as (e & E & He).
            destruct (classes_differ c e) as (q & _ & _ & D); [apply I; left; auto|apply I; right; auto|intros ->;
              contradiction|].
            apply D. rewrite E. reflexivity.
          - apply IH; auto. intros x Hx. apply I. right. exact Hx. }
        apply G; [apply incl_refl|apply classes_nodup]. }
    apply (states_needed nat bool M Bool.bool_dec d answer is_edges tree beginnings (2 * (n - b) + 1) k); auto.
    - intros p [<-|Hp]; [apply repeat_length|]. apply in_map_iff in Hp. destruct Hp as (c & <- & Hc).
      apply beginning_length. exact Hc.
    - assert (Q : forall p p', In p beginnings -> In p' beginnings ->
        (exists q, length q = 2 * (b - 2) + 1 /\ below n q /\ tree (p ++ q) <> tree (p' ++ q)) ->
        exists q, (is_edges (p ++ q) /\ 2 * (n - b) + 1 < length (p ++ q)) /\
          (is_edges (p' ++ q) /\ 2 * (n - b) + 1 < length (p' ++ q)) /\ tree (p ++ q) <> tree (p' ++ q)).
      { intros p p' Hp Hp' (q & Lq & Bq & D). exists q.
        pose proof (beginnings_range p q Hp Lq Bq) as X. pose proof (beginnings_range p' q Hp' Lq Bq) as X'.
        destruct X as [X1 X2], X' as [X1' X2']. rewrite X1, X1'. repeat split; auto; lia. }
      intros p p' Hp Hp' Ne. apply Q; auto.
      destruct Hp as [<-|Hp], Hp' as [<-|Hp']; [contradiction| | |].
      + apply in_map_iff in Hp'. destruct Hp' as (c & <- & Hc). apply cycle_differs. exact Hc.
      + apply in_map_iff in Hp. destruct Hp as (c & <- & Hc). destruct (cycle_differs c Hc) as (q & A & B & D).
        exists q. auto.
      + apply in_map_iff in Hp, Hp'. destruct Hp as (c & <- & Hc), Hp' as (e & <- & He).
        apply classes_differ; auto. intros ->. contradiction.
  Qed.

  Corollary is_tree_state_bits : forall (M : Recurrent nat) d answer B,
    answers_as nat bool M d answer -> is_right nat bool is_edges tree answer ->
    states_below nat M (2 ^ B) beginnings -> bits (b * stirling n b + 1) <= B.
  Proof. intros. apply fits_in_bits; [lia|]. eapply is_tree_state; eauto. Qed.
End Bound.

(** Union-find is a recurrent model that meets the hypotheses: its state is the labels,
  and the first end of a half-read edge. *)
Definition union_find : Recurrent nat :=
  {| State := option (nat -> nat) * option nat; start := (Some (fun x => x), None);
     step := fun _ s x => match s with
       | (f, None) => (f, Some x)
       | (None, Some _) => (None, None)
       | (Some f, Some u) => (if f u =? f x then None else Some (join f u x), None)
       end |}.

Theorem union_find_right : forall n, is_right nat bool (is_edges n) tree
  (answer_of_state nat bool union_find (fun s => match fst s with Some _ => true | None => false end)).
Proof.
  intros n w [L _]. unfold answer_of_state, after, tree.
  assert (Dead : forall k t w, length w = 2 * k -> fst (run nat union_find t (None, None) w) = None).
  { induction k as [|k IH]; intros t [|u [|v v']] E; simpl in *; try lia; auto. apply IH. lia. }
  enough (G : forall k t f w, length w = 2 * k ->
    match fst (run nat union_find t (Some f,
      None) w) with Some _ => true | None => false end = forest f w) by (apply (G (n - 1)); exact L).
  induction k as [|k IH]; intros t f [|u [|v v']] E; simpl in *; try lia; auto.
  destruct (f u =? f v); [rewrite (Dead k) by lia; reflexivity|apply IH; lia].
Qed.

Example four_vertices : 2 * stirling 4 2 + 1 = 15 /\ length (beginnings 4 2) = 15 /\ tree [0; 1; 2; 3; 1; 2] = true /\
  tree [0; 1; 1; 2; 2; 0] = false.
Proof. repeat split; reflexivity. Qed.

(** The model that keeps all tokens meets the hypotheses, for 4 vertices and 2 blocks: it has 15 states. *)
Example fifteen_states : 2 * stirling 4 2 + 1 <= 15 /\ bits (2 * stirling 4 2 + 1) <= 4 /\
  exists q, forest (fun x => x) q = true /\ length q + 2 = 2 * length (roots 4 (fun x => x)) /\ below 4 q.
Proof.
  split; [|split; [|apply completed; [lia|intros x Hx; auto]]].
  - apply (is_tree_state 4 2 ltac:(lia) ltac:(lia) (history nat) 0 _ _ (history_answers _ _ 0 tree)); [apply history_right|].
    apply (history_states _ Nat.eq_dec). vm_compute. lia.
  - apply (is_tree_state_bits 4 2 ltac:(lia) ltac:(lia) (history nat) 0 _ _ (history_answers _ _ 0 tree)); [apply
    history_right|].
    apply (history_states _ Nat.eq_dec). vm_compute. lia.
Qed.
