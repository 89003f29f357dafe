(** Simple graphs that are trees: how many states a recurrent model needs.

    In words. As [IsTree], but no edge is a loop and none occurs twice. The beginnings with n - b edges, between two edges,
    fall into S(n, b) + 1 classes that some continuation distinguishes, for b from 3 to n - 3 ([simple_graph_state]). A
    continuation may use no edge of either beginning, which is what the proof is about: two partitions are told from each
    other by one or two edges that neither beginning has, and at least n - 1 pairs cross every cut, more than the edges of a
    beginning.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7; the number is our own. In Python: [is-tree-state], simple
    graphs.

    The hypotheses, for a real model. The model must be right on simple graphs only ([is_simple]). Each edge has its greater
    vertex first; if the vertices are numbered from the other end, its smaller one is first, as in Python. *)

From Coq Require Import List Arith Lia FinFun Bool.
From Seqsep Require Import Words OneWay IsTree.
Import ListNotations.

Notation edge := (nat * nat)%type (only parsing).
Definition flat (es : list edge) : list nat := flat_map (fun e => [fst e; snd e]) es.
Definition ordered (n : nat) (e : edge) : Prop := snd e < fst e < n.
Definition norm (u v : nat) : edge := if v <? u then (u, v) else (v, u).
Definition edge_eq : forall a b : edge, {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.

Lemma flat_app : forall a b, flat (a ++ b) = flat a ++ flat b.
Proof. intros. apply flat_map_app. Qed.

Lemma flat_length : forall es, length (flat es) = 2 * length es.
Proof. induction es as [|e es IH]; simpl in *; lia. Qed.

Lemma split_length : forall (p : nat -> bool) l, length (filter p l) + length (filter (fun x => negb (p x)) l) = length l.
Proof. induction l as [|x l IH]; simpl; auto. destruct (p x); simpl; lia. Qed.

Section Graphs.
  Variable n : nat.

  Definition is_simple (w : list nat) : Prop :=
    exists es, w = flat es /\ length es = n - 1 /\ NoDup es /\ forall e, In e es -> ordered n e.

  (** Some pair of two blocks is not among fewer than n - 1 edges. *)
  Lemma crossing : forall f (E : list edge), good n f -> 2 <= length (roots n f) -> S (length E) < n ->
    exists e, ordered n e /\ ~ In e E /\ f (fst e) <> f (snd e).
  Proof.
    intros f E G R L. set (A := filter (fun x => f x =? f 0) (seq 0 n)).
    set (C := filter (fun x => negb (f x =? f 0)) (seq 0 n)).
    assert (Size : length A + length C = n) by (rewrite <- (seq_length n 0); apply split_length).
    assert (InA : forall x, In x A -> x < n /\ f x = f 0).
    { intros x H. apply filter_In in H. rewrite in_seq, Nat.eqb_eq in H. lia. }
    assert (InC : forall x, In x C -> x < n /\ f x <> f 0).
    { intros x H. apply filter_In in H. rewrite in_seq, negb_true_iff, Nat.eqb_neq in H. split; [lia|tauto]. }
    assert (NA : 1 <= length A).
    { assert (In 0 A) by (apply filter_In; rewrite in_seq, Nat.eqb_refl; split; [lia|reflexivity]).
      destruct A; [contradiction|simpl; lia]. }
    assert (NC : 1 <= length C).
    { destruct C as [|c C'] eqn:EC; [|simpl; lia]. exfalso.
      assert (I : incl (roots n f) [f 0]).
      { intros r Hr. apply in_roots in Hr. destruct Hr as [Hr Er]. left. destruct (Nat.eq_dec (f r) (f 0)); [congruence|].
        exfalso. assert (In r C) as X by (apply filter_In; rewrite in_seq, negb_true_iff, Nat.eqb_neq; split; [lia|assumption]).
        rewrite EC in X. destruct X. }
      apply NoDup_incl_length in I; [simpl in I; lia|apply roots_nodup]. }
    set (pairs := flat_map (fun u => map (norm u) C) A).
    assert (Lp : length pairs = length A * length C) by (apply length_flat_map_same; intros; apply map_length).
    assert (Fact : forall u v, In u A -> In v C -> ordered n (norm u v) /\ f (fst (norm u v)) <> f (snd (norm u v))).
    { intros u v Hu Hv. destruct (InA u Hu), (InC v Hv). assert (u <> v) by congruence. unfold norm, ordered.
      destruct (Nat.ltb_spec v u); simpl; split; try lia; congruence. }
    assert (Np : NoDup pairs).
    { assert (Inj : forall u v u' v', In u A -> In v C -> In u' A -> In v' C -> norm u v = norm u' v' -> u = u' /\ v = v').
      { intros u v u' v' Hu Hv Hu' Hv' Eq. destruct (InA u Hu), (InC v Hv), (InA u' Hu'), (InC v' Hv').
        unfold norm in Eq. destruct (v <? u), (v' <? u'); injection Eq as -> ->; split; congruence. }
      apply NoDup_flat_map.
      - apply NoDup_filter, seq_NoDup.
      - intros u Hu. assert (NoC : NoDup C) by (apply NoDup_filter, seq_NoDup).
        assert (Gen : forall k, incl k C -> NoDup k -> NoDup (map (norm u) k)).
        { induction k as [|v k IH]; intros I Nk; [apply NoDup_nil|].
          apply NoDup_cons_iff in Nk. destruct Nk as [Nv Nk]. cbn [map]. apply NoDup_cons.
          - intros Hin. apply in_map_iff in Hin. destruct Hin as (v' & Eq & Hv').
            apply Inj in Eq; auto; [|apply I; right; exact Hv'|apply I; left; reflexivity]. destruct Eq as [_ ->].
            contradiction.
          - apply IH; auto. intros z Hz. apply I. right. exact Hz. }
        apply Gen; [apply incl_refl|exact NoC].
      - intros u u' e Hu Hu' He He'. apply in_map_iff in He, He'. destruct He as (v & <- & Hv), He' as (v' & Eq & Hv').
        apply Inj in Eq; auto. destruct Eq. auto. }
    destruct (existsb (fun e => if in_dec edge_eq e E then false else true) pairs) eqn:Ex.
    - apply existsb_exists in Ex. destruct Ex as (e & He & P). destruct (in_dec edge_eq e E) as [|Out]; [discriminate|].
      apply in_flat_map in He. destruct He as (u & Hu & He). apply in_map_iff in He. destruct He as (v & <- & Hv).
      exists (norm u v). destruct (Fact u v Hu Hv). auto.
    - exfalso. assert (I : incl pairs E).
      { intros e He. destruct (in_dec edge_eq e E) as [|Out]; auto. exfalso.
        assert (existsb (fun e => if in_dec edge_eq e E then false else true) pairs = true); [|congruence].
        apply existsb_exists. exists e. split; auto. destruct (in_dec edge_eq e E); [contradiction|reflexivity]. }
      apply NoDup_incl_length in I; [|exact Np]. nia.
  Qed.

  (** Complete a forest without the edges E. *)
  Lemma avoiding : forall r f E, good n f -> length (roots n f) = S r -> S (length E) < n ->
    exists es, length es = r /\ forest f (flat es) = true /\ NoDup es /\
      forall e, In e es -> ordered n e /\ ~ In e E /\ f (fst e) <> f (snd e).
  Proof.
    induction r as [|r IH]; intros f E G R L.
    - exists []. repeat split; try constructor; destruct H.
    - destruct (crossing f E G ltac:(lia) L) as (e & Oe & Ne & De). pose proof Oe as [O1 O2].
      pose proof (join_good n f (fst e) (snd e) G O2 ltac:(lia) De) as G1.
      pose proof (join_roots n f (fst e) (snd e) G O2 ltac:(lia) De) as R1.
      destruct (IH (join f (fst e) (snd e)) E G1 ltac:(lia) L) as (es & Les & F & Nes & H).
      exists (e :: es). split; [simpl; lia|]. split; [|split].
      + simpl. destruct (Nat.eqb_spec (f (fst e)) (f (snd e))); [contradiction|exact F].
      + constructor; auto. intros Hin. destruct (H e Hin) as (_ & _ & D). apply D. unfold join. rewrite Nat.eqb_refl.
        destruct (Nat.eqb_spec (f (snd e)) (f (fst e))); congruence.
      + intros e' [<-|He']; auto. destruct (H e' He') as (O & N & D). split; auto. split; auto.
        intros Eq. apply D. unfold join. rewrite Eq. reflexivity.
  Qed.

  (** The edges of a beginning. *)
  Definition spokes (l : list nat) : list edge := flat_map (fun x => if label l x =? x then []
    else [(x, label l x)]) (seq 0 (length l)).

  Lemma star_spokes : forall l, star l = flat (spokes l).
  Proof.
    intros l. unfold star, spokes. induction (seq 0 (length l)) as [|x k IH]; [reflexivity|].
    simpl. rewrite flat_app, IH. destruct (label l x =? x); reflexivity.
  Qed.

  Lemma in_spokes : forall l e, In e (spokes l) -> fst e < length l /\ snd e = label l (fst e) /\ snd e <> fst e.
  Proof.
    intros l e H. apply in_flat_map in H. destruct H as (x & Hx & H). apply in_seq in Hx.
    destruct (Nat.eqb_spec (label l x) x); [destruct H|]. destruct H as [<-|[]]. simpl. repeat split; auto; lia.
  Qed.

  Lemma spokes_nodup : forall l, NoDup (spokes l).
  Proof.
    intros l. apply NoDup_flat_map; [apply seq_NoDup| |].
    - intros x _. destruct (label l x =? x); repeat constructor; intros [].
    - intros x y e _ _ Hx Hy. destruct (label l x =? x), (label l y =? y); try destruct Hx as [<-|[]];
        try destruct Hy as [Hy|[]]; try contradiction.
      congruence.
  Qed.

  Variable b : nat.
  Hypothesis three_blocks : 3 <= b.
  Hypothesis three_edges : b + 3 <= n.

  Lemma spokes_facts : forall l, In l (partitions n b) -> length (spokes l) = n - b /\
    forall e, In e (spokes l) -> ordered n e /\ label l (fst e) = label l (snd e) /\ label l (snd e) = snd e.
  Proof.
    intros l Hl. apply partitions_spec in Hl. destruct Hl as (C & L & B). split.
    - pose proof (star_length l C) as S. rewrite star_spokes, flat_length in S. lia.
    - intros e He. apply in_spokes in He. destruct He as (H1 & H2 & H3). pose proof (label_le l C (fst e)).
      pose proof (label_label l C (fst e)). unfold ordered. split; [lia|]. rewrite H2. auto.
  Qed.

  Definition triangle : list edge := [(1, 0); (2, 0); (2, 1)] ++ map (fun i => (i, 0)) (seq 3 (n - b - 3)).

  Lemma triangle_facts : length triangle = n - b /\ NoDup triangle /\ forall e, In e triangle -> ordered n e.
  Proof.
    unfold triangle. split; [|split].
    - rewrite app_length, map_length, seq_length. simpl. lia.
    - apply NoDup_app_disjoint.
      + repeat constructor; simpl; intuition discriminate.
      + apply Injective_map_NoDup; [intros x y E; congruence|apply seq_NoDup].
      + intros e He Hin. apply in_map_iff in Hin. destruct Hin as (i & <- & Hi). apply in_seq in Hi.
        destruct He as [E|[E|[E|[]]]]; injection E; lia.
    - intros e He. unfold ordered. apply in_app_iff in He. destruct He as [[<-|[<-|[<-|[]]]]|He]; simpl; try lia.
      apply in_map_iff in He. destruct He as (i & <- & Hi). apply in_seq in Hi. simpl. lia.
  Qed.

  Lemma triangle_closes : forall q, tree (flat triangle ++ q) = false.
  Proof. reflexivity. Qed.

  Lemma whole_graph : forall es q, NoDup es -> NoDup q -> (forall e, In e es -> ~ In e q) -> length es + length q = n - 1 ->
    (forall e, In e es -> ordered n e) -> (forall e, In e q -> ordered n e) -> is_simple (flat es ++ flat q).
  Proof.
    intros es q N1 N2 D L O1 O2. exists (es ++ q). rewrite flat_app, app_length. repeat split; auto.
    - apply NoDup_app_disjoint; auto.
    - apply in_app_iff in H. destruct H as [H|H]; [apply (O1 e H)|apply (O2 e H)].
    - apply in_app_iff in H. destruct H as [H|H]; [apply (O1 e H)|apply (O2 e H)].
  Qed.

  Definition told (p p' : list nat) : Prop :=
    exists q, is_simple (p ++ q) /\ is_simple (p' ++ q) /\ tree (p ++ q) <> tree (p' ++ q) /\ 0 < length q.

  Lemma triangle_told : forall l, In l (partitions n b) -> told (flat triangle) (star l).
  Proof.
    intros l Hl. destruct (spokes_facts l Hl) as [Ls Fs]. destruct triangle_facts as (Lt & Nt & Ot).
    pose proof (partitions_spec _ _ _ Hl) as (C & L & B). unfold blocks in B. rewrite L in B.
    pose proof (canonical_good l C) as G. rewrite L in G.
    destruct (avoiding (b - 1) (label l) triangle G ltac:(lia) ltac:(lia)) as (es & Les & F & Nes & H).
    exists (flat es). rewrite star_spokes. split; [|split; [|split]].
    - apply whole_graph; auto; [|lia|intros e He; apply H; exact He]. intros e He Hin. destruct (H e Hin) as (_ & X & _).
      contradiction.
    - apply whole_graph; auto using spokes_nodup; [|lia|intros e He; apply Fs; exact He|intros e He; apply H; exact He].
      intros e He Hin. destruct (H e Hin) as (_ & _ & D). apply D. apply Fs. exact He.
    - rewrite triangle_closes, <- star_spokes. unfold tree. rewrite star_blocks, F by exact C. discriminate.
    - rewrite flat_length. lia.
  Qed.

  (** Edges q0 that join blocks of l, close a cycle in m, and are in neither beginning tell them from each other. *)
  Lemma told_by : forall l m q0 f, In l (partitions n b) -> In m (partitions n b) -> NoDup q0 ->
    (forall e, In e q0 -> ordered n e /\ ~ In e (spokes m) /\ label l (fst e) <> label l (snd e) /\ f (fst e) = f (snd e)) ->
    (forall q, forest (label l) (flat q0 ++ q) = forest f q) -> (forall q, forest (label m) (flat q0 ++ q) = false) ->
    good n f -> length (roots n f) + length q0 = b -> length q0 < b ->
    (forall x y, label l x = label l y -> f x = f y) -> 0 < length q0 -> told (star l) (star m).
  Proof.
    intros l m q0 f Hl Hm N0 H0 Joins Closes G R Lq Coarser Pos.
    destruct (spokes_facts l Hl) as [Ll Fl], (spokes_facts m Hm) as [Lm Fm].
    pose proof (partitions_spec _ _ _ Hl) as (Cl & _ & _). pose proof (partitions_spec _ _ _ Hm) as (Cm & _ & _).
    destruct (avoiding (b - length q0 - 1) f (spokes m) G ltac:(lia) ltac:(lia)) as (es & Les & F & Nes & H).
    assert (Nq : NoDup (q0 ++ es)).
    { apply NoDup_app_disjoint; auto. intros e He Hin. destruct (H e Hin) as (_ & _ & D). apply D, H0. exact He. }
    exists (flat (q0 ++ es)). rewrite !star_spokes. split; [|split; [|split]].
    - apply whole_graph; auto using spokes_nodup; [|rewrite app_length; lia|intros e He; apply Fl; exact He|].
      + intros e He Hin. pose proof (proj1 (proj2 (Fl e He))) as Same. apply in_app_iff in Hin. destruct Hin as [Hin|Hin].
        * destruct (H0 e Hin) as (_ & _ & X & _). contradiction.
        * destruct (H e Hin) as (_ & _ & X). apply X, Coarser, Same.
      + intros e He. apply in_app_iff in He. destruct He as [He|He]; [apply (H0 e He)|apply (H e He)].
    - apply whole_graph; auto using spokes_nodup; [|rewrite app_length; lia|intros e He; apply Fm; exact He|].
      + intros e He Hin. apply in_app_iff in Hin. destruct Hin as [Hin|Hin].
        * destruct (H0 e Hin) as (_ & X & _). contradiction.
        * destruct (H e Hin) as (_ & X & _). contradiction.
      + intros e He. apply in_app_iff in He. destruct He as [He|He]; [apply (H0 e He)|apply (H e He)].
    - rewrite <- !star_spokes, flat_app. unfold tree. rewrite !star_blocks, Joins, Closes, F by assumption. discriminate.
    - rewrite flat_length, app_length. lia.
  Qed.

  Lemma norm_cases : forall u v, norm u v = (u, v) /\ v < u \/ norm u v = (v, u) /\ u <= v.
  Proof. intros u v. unfold norm. destruct (Nat.ltb_spec v u); auto. Qed.

  Lemma partitions_told : forall l m, In l (partitions n b) -> In m (partitions n b) -> l <> m -> told (star l) (star m).
  Proof.
    intros l m Hl Hm Ne. destruct (neither_refines n b l m Hl Hm Ne) as (x & Hx & Dx). set (y := label m x) in *.
    pose proof (partitions_spec _ _ _ Hl) as (Cl & Ll & Bl). pose proof (partitions_spec _ _ _ Hm) as (Cm & Lm & Bm).
    pose proof (canonical_good l Cl) as G. rewrite Ll in G. unfold blocks in Bl. rewrite Ll in Bl.
    pose proof (label_le m Cm x) as Yx. fold y in Yx. pose proof (label_label m Cm x) as My. fold y in My.
    assert (Nxy : x <> y) by congruence.
    (* A third block of l, with the vertex z. *)
    assert (Third : exists z, z < n /\ label l z <> label l x /\ label l z <> label l y).
    { destruct (search (fun z => negb (label l z =? label l x) && negb (label l z =? label l y)) n) as [(z & Hz & P)|None_].
      - exists z. apply andb_prop in P. rewrite !negb_true_iff, !Nat.eqb_neq in P. tauto.
      - exfalso. assert (I : incl (roots n (label l)) [label l x; label l y]).
        { intros r Hr. apply in_roots in Hr. destruct Hr as [Hr Er]. specialize (None_ r Hr). rewrite Er in None_.
          destruct (Nat.eqb_spec r (label l x)); [left; auto|].
          destruct (Nat.eqb_spec r (label l y)); [right; left; auto|discriminate]. }
        apply NoDup_incl_length in I; [simpl in I; lia|apply roots_nodup]. }
    destruct Third as (z & Hz & Zx & Zy). set (f := label l) in *. set (g := label m) in *.
    assert (Joined : forall u v, u < n -> v < n -> f u <> f v -> let e := norm u v in
      good n (join f (fst e) (snd e)) /\ S (length (roots n (join f (fst e) (snd e)))) = b /\ f (fst e) <> f (snd e) /\
        ordered n e).
    { intros u v Hu Hv D. assert (u <> v) by congruence.
      destruct (norm_cases u v) as [[-> O]|[-> O]]; cbn [fst snd]; rewrite <- Bl; unfold ordered; cbn [fst snd];
        (split; [apply join_good; auto|split; [apply join_roots; auto|split; [auto|lia]]]). }
    assert (Coarse : forall h u v s t, h s = h t -> join h u v s = join h u v t).
    { intros h u v s t E. unfold join. rewrite E. reflexivity. }
    assert (Ends : forall h u v, join h u v u = join h u v v).
    { intros h u v. unfold join. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec (h v) (h u)); congruence. }
    destruct (Nat.eq_dec (g z) y) as [Gz|Gz].
    - (* z is in the block of x in m: the edge x z is not in the star, and closes a cycle. *)
      assert (Nzy : z <> y) by congruence.
      destruct (Joined x z Hx Hz ltac:(congruence)) as (G1 & R1 & D1 & O1). set (e := norm x z) in *.
      apply (told_by l m [e] (join f (fst e) (snd e))); auto.
      + repeat constructor. intros [].
      + intros e' [<-|[]]. split; [exact O1|split; [|split; [exact D1|apply Ends]]].
        intros Hin. destruct (spokes_facts m Hm) as [_ Fm]. destruct (Fm e Hin) as (_ & _ & Root). fold g in Root.
        unfold e in Root. destruct (norm_cases x z) as [[E _]|[E _]]; rewrite E in Root; cbn [snd] in Root;
          fold y in Root; congruence.
      + intros q. simpl. fold f. destruct (Nat.eqb_spec (f (fst e)) (f (snd e))); [contradiction|reflexivity].
      + intros q. simpl. fold g. assert (g (fst e) = g (snd e)) as ->; [|rewrite Nat.eqb_refl; reflexivity].
        unfold e. destruct (norm_cases x z) as [[-> _]|[-> _]]; cbn [fst snd]; fold y; congruence.
      + simpl. lia.
      + simpl. lia.
    - (* z is in another block: the edges x z and y z close a cycle. *)
      destruct (Joined x z Hx Hz ltac:(congruence)) as (G1 & R1 & D1 & O1). set (e := norm x z) in *.
      set (f1 := join f (fst e) (snd e)) in *.
      assert (Hy : y < n) by lia.
      assert (f1y : f1 y = f y).
      { unfold f1, join, e. destruct (norm_cases x z) as [[-> _]|[-> _]]; cbn [fst snd].
        - destruct (Nat.eqb_spec (f y) (f x)); congruence.
        - destruct (Nat.eqb_spec (f y) (f z)); congruence. }
      assert (f1z : f1 z <> f y).
      { unfold f1, join, e. destruct (norm_cases x z) as [[-> _]|[-> _]]; cbn [fst snd].
        - destruct (Nat.eqb_spec (f z) (f x)); congruence.
        - rewrite Nat.eqb_refl. congruence. }
      assert (D2 : f1 y <> f1 z) by congruence.
      set (e2 := norm y z).
      assert (J2 : good n (join f1 (fst e2) (snd e2)) /\ S (S (length (roots n (join f1 (fst e2) (snd e2))))) = b /\
        f1 (fst e2) <> f1 (snd e2) /\ ordered n e2 /\ f (fst e2) <> f (snd e2)).
      { assert (y <> z) by congruence. unfold e2.
        destruct (norm_cases y z) as [[-> O]|[-> O]]; cbn [fst snd]; rewrite <- R1; unfold ordered; cbn [fst snd];
          (split; [apply join_good; auto|split; [f_equal; apply join_roots; auto|split; [auto|split; [lia|auto]]]]). }
      destruct J2 as (G2 & R2 & D3 & O2 & D4).
      assert (Ne12 : e <> e2).
      { intros E. unfold e, e2 in E. destruct (norm_cases x z) as [[A _]|[A _]], (norm_cases y z) as [[B _]|[B _]];
          rewrite A, B in E; injection E; congruence. }
      assert (Cross : forall u, g u = y -> forall e', e' = norm u z -> ~ In e' (spokes m)).
      { intros u Gu e' -> Hin. destruct (spokes_facts m Hm) as [_ Fm]. destruct (Fm _ Hin) as (_ & Same & _). fold g in Same.
        destruct (norm_cases u z) as [[A _]|[A _]]; rewrite A in Same; cbn [fst snd] in Same; congruence. }
      apply (told_by l m [e; e2] (join f1 (fst e2) (snd e2))); auto.
      + repeat constructor; simpl; intuition congruence.
      + intros e' [<-|[<-|[]]].
        * split; [exact O1|split; [apply (Cross x); auto|split; [exact D1|]]]. apply Coarse. unfold f1. apply Ends.
        * split; [exact O2|split; [apply (Cross y); auto|split; [exact D4|apply Ends]]].
      + intros q. simpl. fold f. destruct (Nat.eqb_spec (f (fst e)) (f (snd e))); [contradiction|]. fold f1.
        destruct (Nat.eqb_spec (f1 (fst e2)) (f1 (snd e2))); [contradiction|reflexivity].
      + intros q. simpl. fold g. destruct (Nat.eqb_spec (g (fst e)) (g (snd e))); [reflexivity|].
        assert (J : join g (fst e) (snd e) y = join g (fst e) (snd e) z).
        { assert (X : join g (fst e) (snd e) x = join g (fst e) (snd e) z).
          { unfold e. destruct (norm_cases x z) as [[-> _]|[-> _]]; cbn [fst snd]; [apply Ends|symmetry; apply Ends]. }
          rewrite <- X. apply Coarse. fold y. congruence. }
        assert (join g (fst e) (snd e) (fst e2) = join g (fst e) (snd e) (snd e2)) as ->; [|rewrite Nat.eqb_refl; reflexivity].
        unfold e2. destruct (norm_cases y z) as [[-> _]|[-> _]]; cbn [fst snd]; congruence.
      + simpl. lia.
      + simpl. intros s t E. apply Coarse. unfold f1. apply Coarse. exact E.
      + simpl. lia.
  Qed.

  Definition simple_beginnings : list (list nat) := flat triangle :: map star (partitions n b).

  Theorem simple_graph_state : forall (M : Recurrent nat) d answer k,
    answers_as nat bool M d answer -> is_right nat bool is_simple tree answer ->
    states_below nat M k simple_beginnings -> stirling n b + 1 <= k.
  Proof.
    intros M d answer k Ha Hr Hs.
    replace (stirling n b + 1) with (length simple_beginnings)
      by (unfold simple_beginnings; simpl; rewrite map_length, partitions_length; lia).
    assert (Different : forall p p', told p p' -> p <> p') by (intros p p' (q & _ & _ & D & _) ->; contradiction).
    assert (N : NoDup simple_beginnings).
    { constructor.
      - intros H. apply in_map_iff in H. destruct H as (l & E & Hl). apply (Different _ _ (triangle_told l Hl)). auto.
      - assert (G : forall k, incl k (partitions n b) -> NoDup k -> NoDup (map star k)).
        { induction k0 as [|l k0 IH]; intros I Nl; simpl; constructor; inversion Nl; subst.
          - intros H. apply in_map_iff in H. destruct H as (m & E & Hm).
            apply (Different (star l) (star m)); auto. apply partitions_told; [apply I; left; auto|apply I; right; auto|].
            intros ->. contradiction.
          - apply IH; auto. intros x Hx. apply I. right. exact Hx. }
        apply G; [apply incl_refl|apply partitions_nodup]. }
    assert (Len : same_length nat simple_beginnings (2 * (n - b))).
    { intros p [<-|Hp].
      - rewrite flat_length. destruct triangle_facts as [-> _]. reflexivity.
      - apply in_map_iff in Hp. destruct Hp as (l & <- & Hl). rewrite star_spokes, flat_length.
        destruct (spokes_facts l Hl) as [-> _]. reflexivity. }
    apply (states_needed nat bool M bool_dec d answer is_simple tree simple_beginnings (2 * (n - b)) k); auto.
    assert (Q : forall p p', In p simple_beginnings -> In p' simple_beginnings -> told p p' ->
      exists q, (is_simple (p ++ q) /\ 2 * (n - b) < length (p ++ q)) /\
        (is_simple (p' ++ q) /\ 2 * (n - b) < length (p' ++ q)) /\ tree (p ++ q) <> tree (p' ++ q)).
    { intros p p' Hp Hp' (q & S1 & S2 & D & Lq). exists q. rewrite !app_length, (Len p Hp), (Len p' Hp').
      repeat split; auto; lia. }
    assert (Sym : forall p p', told p p' -> told p' p).
    { intros p p' (q & S1 & S2 & D & Lq). exists q. auto. }
    intros p p' Hp Hp' Ne. apply Q; auto.
    destruct Hp as [<-|Hp], Hp' as [<-|Hp']; [contradiction| | |].
    - apply in_map_iff in Hp'. destruct Hp' as (l & <- & Hl). apply triangle_told. exact Hl.
    - apply in_map_iff in Hp. destruct Hp as (l & <- & Hl). apply Sym, triangle_told. exact Hl.
    - apply in_map_iff in Hp, Hp'. destruct Hp as (l & <- & Hl), Hp' as (m & <- & Hm).
      apply partitions_told; auto. intros ->. contradiction.
  Qed.
End Graphs.

(** Union-find is right on simple graphs too, so the hypotheses are met. *)
Theorem union_find_simple : forall n, is_right nat bool (is_simple n) tree
  (answer_of_state nat bool union_find (fun s => match fst s with Some _ => true | None => false end)).
Proof.
  intros n w (es & -> & L & _ & O). apply (union_find_right n). split; [rewrite flat_length; lia|].
  intros x Hx. apply in_flat_map in Hx. destruct Hx as (e & He & Hx). pose proof (O e He) as [A B].
  destruct Hx as [<-|[<-|[]]]; lia.
Qed.

(** Six vertices and three blocks have 90 + 1 classes. *)
Example simple_graphs_run : stirling 6 3 + 1 = 91 /\ is_simple 4 (flat [(1, 0); (2, 1); (3, 0)]) /\
  tree (flat [(1, 0); (2, 1); (3, 0)]) = true.
Proof.
  split; [reflexivity|split; [|reflexivity]]. exists [(1, 0); (2, 1); (3, 0)]. split; [reflexivity|]. split; [reflexivity|].
  split; [repeat constructor; simpl; intuition discriminate|]. intros e He. unfold ordered. simpl in He.
  intuition (subst; simpl; lia).
Qed.

(** The model that keeps all tokens meets the hypotheses, for 6 vertices and 3 blocks. *)
Example ninety_one_states : stirling 6 3 + 1 <= 91.
Proof.
  apply (simple_graph_state 6 3 ltac:(lia) ltac:(lia) (history nat) 0 _ _ (history_answers _ _ 0 tree)); [apply history_right|].
  apply (history_states _ Nat.eq_dec). vm_compute. lia.
Qed.
