(** Counting: a recurrent model needs ceil(log2 C(2n-1, n)) bits of state.

    In words. A model reads n numbers below n, then a number q and a threshold t below n. It answers whether q occurs more than
    t times. Every recurrent model that is right on all inputs has at least C(2n-1, n) states after the n numbers: one for each
    multiset.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definition 4.5 and Theorem 4.6. In Python: [counting-state].

    The hypotheses, for a real model: see [OneWay]. A chain of thought is allowed. *)

From Coq Require Import List Arith Lia FinFun.
From Seqsep Require Import Words OneWay.
Import ListNotations.

Fixpoint binomial (n k : nat) : nat :=
  match n, k with
  | _, 0 => 1
  | 0, S _ => 0
  | S n, S k => binomial n k + binomial n (S k)
  end.

(** Sorted lists of K numbers from 0 to n - 1, as counts: [counts n K] has all lists of n numbers with the sum K. *)
Fixpoint counts (n K : nat) : list (list nat) :=
  match n with
  | 0 => if K =? 0 then [[]] else []
  | S n' =>
    (fix first_at_least (K : nat) : list (list nat) :=
       match K with
       | 0 => [0 :: repeat 0 n']
       | S K' => map (cons 0) (counts n' K) ++
                 map (fun v => match v with c :: v => S c :: v | [] => [] end) (first_at_least K')
       end) K
  end.

Lemma counts_0 : forall n, counts (S n) 0 = [0 :: repeat 0 n].
Proof. reflexivity. Qed.

Lemma counts_S : forall n K, counts (S n) (S K) =
  map (cons 0) (counts n (S K)) ++ map (fun v => match v with c :: v => S c :: v | [] => [] end) (counts (S n) K).
Proof. reflexivity. Qed.

Lemma binomial_0 : forall k, binomial k (S k) = 0.
Proof.
  assert (G : forall n k, n < k -> binomial n k = 0).
  { induction n as [|n IH]; intros [|k] H; simpl; auto; try lia. rewrite !IH; lia. }
  intros k. apply G. lia.
Qed.

(** There are C(K + n - 1, K) multisets of K numbers below n. *)
Theorem counts_length : forall n K, 1 <= n + K -> length (counts n K) = binomial (n + K - 1) K.
Proof.
  induction n as [|n IH]; intros K H.
  - destruct K as [|K]; [lia|]. simpl. rewrite Nat.sub_0_r. symmetry. apply binomial_0.
  - induction K as [|K IHK].
    + rewrite counts_0. simpl. destruct (n + 0 - 0); reflexivity.
    + rewrite counts_S, app_length, !map_length, IHK by lia. rewrite IH by lia.
      replace (S n + S K - 1) with (S (n + K)) by lia. replace (n + S K - 1) with (n + K) by lia.
      replace (S n + K - 1) with (n + K) by lia. simpl. lia.
Qed.

Lemma counts_spec : forall n K v, In v (counts n K) -> length v = n /\ list_sum v = K.
Proof.
  induction n as [|n IH]; intros K v H.
  - destruct K; simpl in H; [destruct H as [<-|[]]; auto|contradiction].
  - revert v H. induction K as [|K IHK]; intros v H.
    + rewrite counts_0 in H. destruct H as [<-|[]]. simpl. rewrite repeat_length. split; auto.
      clear. induction n; simpl; auto.
    + rewrite counts_S in H. apply in_app_iff in H. destruct H as [H|H]; apply in_map_iff in H; destruct H as (u & <- & Hu).
      * apply IH in Hu. simpl. destruct Hu. auto.
      * apply IHK in Hu. destruct u as [|c u]; simpl in *; destruct Hu; split; lia.
Qed.

Lemma counts_nodup : forall n K, NoDup (counts n K).
Proof.
  induction n as [|n IH]; intros K.
  - simpl. destruct (K =? 0); repeat constructor. intros [].
  - induction K as [|K IHK].
    + rewrite counts_0. repeat constructor. intros [].
    + rewrite counts_S. apply NoDup_app_disjoint.
      * apply Injective_map_NoDup; auto. intros u v E. congruence.
      * assert (G : forall l, NoDup l -> (forall v, In v l -> v <> []) ->
          NoDup (map (fun v => match v with c :: v => S c :: v | [] => [] end) l)).
        { induction l as [|v l IHl]; intros Hn Hl; simpl; constructor; inversion Hn; subst.
          - intros Hin. apply in_map_iff in Hin. destruct Hin as (u & E & Hu).
            destruct v as [|a v]; [apply (Hl []); simpl; auto|].
            destruct u as [|b u]; [apply (Hl []); simpl; auto|]. injection E as -> ->. contradiction.
          - apply IHl; auto. intros u Hu. apply Hl. right. exact Hu. }
        apply G; auto. intros v Hv ->. apply counts_spec in Hv. destruct Hv. discriminate.
      * intros v Hv Hv'. apply in_map_iff in Hv, Hv'. destruct Hv as (u & <- & _), Hv' as (u' & E & Hu').
        destruct u' as [|c u']; discriminate.
Qed.

(** The numbers of a multiset, sorted: [from i v] begins with number i. *)
Fixpoint spelled (i : nat) (v : list nat) : list nat :=
  match v with [] => [] | c :: v => repeat i c ++ spelled (S i) v end.

Lemma spelled_length : forall v i, length (spelled i v) = list_sum v.
Proof. induction v as [|c v IH]; intros i; simpl; auto. rewrite app_length, repeat_length, IH. reflexivity. Qed.

Lemma spelled_range : forall v i x, In x (spelled i v) -> i <= x < i + length v.
Proof.
  induction v as [|c v IH]; intros i x H; simpl in *; [contradiction|].
  apply in_app_iff in H. destruct H as [H|H]; [apply repeat_spec in H; lia|apply IH in H; lia].
Qed.

Lemma count_repeat : forall c i q, count_occ Nat.eq_dec (repeat i c) q = if Nat.eq_dec i q then c else 0.
Proof. induction c as [|c IH]; intros i q; simpl; [destruct (Nat.eq_dec i q); auto|]. rewrite IH.
destruct (Nat.eq_dec i q); auto. Qed.

Lemma spelled_count : forall v i q, count_occ Nat.eq_dec (spelled i v) (i + q) = nth q v 0.
Proof.
  induction v as [|c v IH]; intros i q; simpl; [destruct q; reflexivity|].
  rewrite count_occ_app, count_repeat. destruct q as [|q].
  - rewrite Nat.add_0_r. destruct (Nat.eq_dec i i); [|contradiction].
    assert (count_occ Nat.eq_dec (spelled (S i) v) i = 0) as ->.
    { apply count_occ_not_In. intros H. apply spelled_range in H. lia. }
    lia.
  - destruct (Nat.eq_dec i (i + S q)); [lia|]. replace (i + S q) with (S i + q) by lia. apply IH.
Qed.

Section Counting.
  Variable n : nat.

  (** The answer: true if q occurs more than t times. *)
  Definition counting (w : list nat) : bool :=
    let data := firstn n w in
    let q := nth n w 0 in
    let t := nth (n + 1) w 0 in
    t <? count_occ Nat.eq_dec data q.

  Definition is_counting (w : list nat) : Prop :=
    exists data q t, length data = n /\ (forall x, In x data -> x < n) /\ q < n /\ t < n /\ w = data ++ [q; t].

  Lemma counting_answer : forall data q t, length data = n -> counting (data ++ [q; t]) = (t <? count_occ Nat.eq_dec data q).
  Proof.
    intros data q t L. unfold counting. rewrite firstn_app, L, Nat.sub_diag, firstn_O, app_nil_r, firstn_all2 by lia.
    rewrite !app_nth2 by lia. rewrite L, Nat.sub_diag. replace (n + 1 - n) with 1 by lia. reflexivity.
  Qed.

  Definition multisets : list (list nat) := map (spelled 0) (counts n n).

  Lemma spelled_injective : forall u v, length u = length v -> spelled 0 u = spelled 0 v -> u = v.
  Proof.
    intros u v L E. destruct (list_eq_dec Nat.eq_dec u v) as [|Ne]; auto. exfalso.
    destruct (words_differ u v 0 L Ne) as (q & _ & D). apply D.
    rewrite <- (spelled_count u 0 q), <- (spelled_count v 0 q), E. reflexivity.
  Qed.

  Lemma counting_distinguishes : distinguished nat bool (fun w => is_counting w /\ n < length w) counting multisets.
  Proof.
    intros p p' Hp Hp' Ne. apply in_map_iff in Hp, Hp'. destruct Hp as (u & <- & Hu), Hp' as (v & <- & Hv).
    destruct (counts_spec _ _ _ Hu) as [Lu Su], (counts_spec _ _ _ Hv) as [Lv Sv].
    destruct (words_differ u v 0) as (q & Hq & D); [lia|congruence|].
    assert (Hd : forall v, In v (counts n n) -> length (spelled 0 v) = n /\ forall x, In x (spelled 0 v) -> x < n).
    { intros z Hz. destruct (counts_spec _ _ _ Hz) as [Lz Sz]. split; [rewrite spelled_length; exact Sz|].
      intros x Hx. apply spelled_range in Hx. lia. }
    set (t := Nat.min (nth q u 0) (nth q v 0)).
    assert (Hmax : forall z, In z (counts n n) -> nth q z 0 <= n).
    { intros z Hz. destruct (Hd z Hz) as [Lz _]. rewrite <- (spelled_count z 0 q).
      pose proof (count_occ_bound Nat.eq_dec (0 + q) (spelled 0 z)). lia. }
    pose proof (Hmax u Hu). pose proof (Hmax v Hv).
    assert (Ht : t < n) by (unfold t; lia).
    destruct (Hd u Hu) as [L1 R1], (Hd v Hv) as [L2 R2].
    exists [q; t]. repeat split.
    - exists (spelled 0 u), q, t. repeat split; auto. lia.
    - rewrite app_length, L1. simpl. lia.
    - exists (spelled 0 v), q, t. repeat split; auto. lia.
    - rewrite app_length, L2. simpl. lia.
    - rewrite !counting_answer by auto.
      replace q with (0 + q) by lia. rewrite !spelled_count.
      unfold t. destruct (Nat.ltb_spec (Nat.min (nth q u 0) (nth q v 0)) (nth q u 0)),
        (Nat.ltb_spec (Nat.min (nth q u 0) (nth q v 0)) (nth q v 0)); try discriminate; lia.
  Qed.

  Theorem counting_state : forall (M : Recurrent nat) d answer k,
    1 <= n -> answers_as nat bool M d answer -> is_right nat bool is_counting counting answer ->
    states_below nat M k multisets -> binomial (2 * n - 1) n <= k.
  Proof.
    intros M d answer k Hn Ha Hr Hs.
    replace (binomial (2 * n - 1) n) with (length multisets).
    2: { unfold multisets. rewrite map_length, counts_length by lia. f_equal. lia. }
    eapply states_needed with (K := n); eauto using Bool.bool_dec, counting_distinguishes.
    - assert (G : forall l, NoDup l -> (forall v, In v l -> length v = n) -> NoDup (map (spelled 0) l)).
      { induction l as [|v l IH]; intros Hd Hl; simpl; constructor; inversion Hd; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (u & E & Hu).
          apply spelled_injective in E; [subst; contradiction|].
          rewrite (Hl u) by (right; exact Hu). symmetry. apply Hl. left. reflexivity.
        - apply IH; auto. intros u Hu. apply Hl. right. exact Hu. }
      apply G; [apply counts_nodup|]. intros v Hv. apply counts_spec in Hv. tauto.
    - intros p Hp. apply in_map_iff in Hp. destruct Hp as (v & <- & Hv). apply counts_spec in Hv.
      rewrite spelled_length. tauto.
  Qed.
End Counting.

(** A model that meets the hypotheses for n = 1: the number 0 occurs once, so the answer is always yes. *)
Example counting_has_a_model :
  is_right nat bool (is_counting 1) (counting 1) (answer_of_state nat bool stateless (fun _ => true)) /\
  states_below nat stateless 1 (multisets 1).
Proof.
  split.
  - intros w (data & q & t & L & Hd & Hq & Ht & ->). rewrite counting_answer by exact L.
    destruct data as [|x [|]]; simpl in L; try lia.
    assert (x = 0) as -> by (specialize (Hd x (or_introl eq_refl)); lia).
    assert (q = 0) as -> by lia. assert (t = 0) as -> by lia. reflexivity.
  - exists (fun _ => 0). split; auto. intros. destruct (after _ _ _), (after _ _ _). reflexivity.
Qed.

Example one_multiset : binomial (2 * 1 - 1) 1 <= 1 /\ length (counts 1 1) = binomial (1 + 1 - 1) 1.
Proof.
  split; [|apply counts_length; lia]. destruct counting_has_a_model as [R B].
  apply (counting_state 1 stateless 0 _ _ ltac:(lia) (by_state _ _ _ _ _) R B).
Qed.
