(** Leaf peeling decides whether n - 1 edges form a tree.

    In words. The thought writes a pointer for each vertex from 1 to n. If the vertex of the last token is a leaf, it writes its
    only neighbour, and the edge between them goes. Otherwise it writes the next pointer. At the end the answer is YES if all
    edges went. It is right for every list of n - 1 edges, with loops and repeated edges, after at most 2 n - 1 tokens
    ([peel_right]).
    - Removing the edge of a leaf changes nothing ([remove_leaf]). A graph with an edge and without a leaf is no forest
      ([no_leaf_no_tree]).

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7, with another thought than the paper's. In Python: the function
    [peel], whose thoughts the networks of [is-tree-peeling] write.

    The hypotheses, for a real model: the edges are between vertices from 1 to n, and there are n - 1 of them. *)

From Coq Require Import List Arith Lia Bool.
From Seqsep Require Import Words IsTree SimpleGraphs.
Import ListNotations.

(** The edges at a vertex: a loop counts twice. *)
Definition ends (x : nat) (e : edge) : nat := (if fst e =? x then 1 else 0) + (if snd e =? x then 1 else 0).
Definition degree (es : list edge) (x : nat) : nat := list_sum (map (ends x) es).
Definition touches (x : nat) (e : edge) : bool := (fst e =? x) || (snd e =? x).
Definition other (x : nat) (e : edge) : nat := if fst e =? x then snd e else fst e.
Definition without (x : nat) (es : list edge) : list edge := filter (fun e => negb (touches x e)) es.

Inductive token := Bos | Between | Vertex (v : nat) | Pointer (v : nat) | No | Yes.

(** What the thought is about: the edges left, the vertex of the last token, and how many pointers and climbs were written. *)
Record state := { left : list edge; here : nat; pointers : nat; climbs : nat }.

Section Peel.
  Variables n edges : nat.

  (** The next token, and the state after it, if the thought continues. *)
  Definition next (s : state) : token * option state :=
    if degree (left s) (here s) =? 1 then
      match find (touches (here s)) (left s) with
      | Some e => (Vertex (other (here s) e),
          Some {| left := without (here s) (left s); here := other (here s) e; pointers := pointers s;
            climbs := S (climbs s) |})
      | None => (No, None)
      end
    else if pointers s <? n then
      (Pointer (S (pointers s)),
        Some {| left := left s; here := S (pointers s); pointers := S (pointers s); climbs := climbs s |})
    else (if climbs s =? edges then Yes else No, None).

  (** The tokens that are written from a state on, the answer last; at most [fuel] of them. *)
  Fixpoint writes (fuel : nat) (s : state) : list token :=
    match fuel with
    | 0 => []
    | S fuel => fst (next s) :: match snd (next s) with Some s => writes fuel s | None => [] end
    end.
End Peel.

(** ** Removing the edge of a leaf changes nothing *)

Lemma same_blocks : forall k w f g, length w <= k -> (forall x y, In x w -> In y w -> (f x = f y <-> g x = g y)) ->
  forest f w = forest g w.
Proof.
  induction k as [|k IH]; intros [|u [|v w]] f g L E; simpl in L; try reflexivity; try lia.
  cbn [forest].
  assert (Iu : In u (u :: v :: w)) by (left; reflexivity). assert (Iv : In v (u :: v :: w)) by (right; left; reflexivity).
  pose proof (E u v Iu Iv) as Euv.
  destruct (Nat.eqb_spec (f u) (f v)), (Nat.eqb_spec (g u) (g v)); try reflexivity; try tauto.
  apply IH; [lia|]. intros x y Hx Hy. assert (Ix : In x (u :: v :: w)) by (right; right; exact Hx).
  assert (Iy : In y (u :: v :: w)) by (right; right; exact Hy).
  pose proof (E x y Ix Iy). pose proof (E x u Ix Iu). pose proof (E y u Iy Iu). pose proof (E x v Ix Iv).
  pose proof (E y v Iy Iv).
  unfold join. destruct (Nat.eqb_spec (f x) (f u)), (Nat.eqb_spec (f y) (f u)), (Nat.eqb_spec (g x) (g u)),
    (Nat.eqb_spec (g y) (g u)); try tauto;
    split; intros Q; try reflexivity; try tauto; symmetry; symmetry in Q; tauto.
Qed.

Definition lonely (f : nat -> nat) (x : nat) : Prop := forall z, f z = f x -> z = x.

Lemma untouched_in : forall x es, degree es x = 0 -> forall z, In z (flat es) -> z <> x.
Proof.
  induction es as [|e es IH]; intros D z Hz; [destruct Hz|]. unfold degree in D. simpl in D. unfold ends in D at 1.
  destruct (Nat.eqb_spec (fst e) x), (Nat.eqb_spec (snd e) x); try lia. destruct Hz as [<-|[<-|Hz]]; auto.
Qed.

Lemma without_untouched : forall x es, degree es x = 0 -> without x es = es.
Proof.
  induction es as [|e es IH]; intros D; [reflexivity|]. unfold degree in *. simpl in D. unfold ends in D at 1.
  unfold without, touches. simpl. destruct (Nat.eqb_spec (fst e) x), (Nat.eqb_spec (snd e) x); simpl; try lia.
  f_equal. apply IH. exact D.
Qed.

Lemma without_cons : forall x e es, without x (e :: es) = if touches x e then without x es else e :: without x es.
Proof. intros. unfold without. simpl. destruct (touches x e); reflexivity. Qed.

Lemma remove_leaf : forall es f x, lonely f x -> degree es x = 1 -> forest f (flat es) = forest f (flat (without x es)).
Proof.
  induction es as [|[u v] es IH]; intros f x Lf D; [discriminate|].
  unfold degree in D. simpl in D. unfold ends in D at 1. simpl in D.
  rewrite without_cons. unfold touches. cbn [fst snd].
  destruct (Nat.eqb_spec u x) as [Eu|Nu], (Nat.eqb_spec v x) as [Ev|Nv]; cbn [orb]; try lia.
  - (* the leaf's edge, first end *)
    subst u. assert (D0 : degree es x = 0) by (unfold degree; lia).
    rewrite without_untouched by exact D0. cbn [flat flat_map fst snd app forest].
    destruct (Nat.eqb_spec (f x) (f v)) as [E|Ne]; [symmetry in E; apply Lf in E; congruence|].
    apply (same_blocks (length (flat es))); auto. intros a b Ha Hb.
    pose proof (untouched_in x es D0 a Ha). pose proof (untouched_in x es D0 b Hb). unfold join.
    destruct (Nat.eqb_spec (f a) (f x)) as [Ea|_]; [apply Lf in Ea; contradiction|].
    destruct (Nat.eqb_spec (f b) (f x)) as [Eb|_]; [apply Lf in Eb; contradiction|]. tauto.
  - (* second end *)
    subst v. assert (D0 : degree es x = 0) by (unfold degree; lia).
    rewrite without_untouched by exact D0. cbn [flat flat_map fst snd app forest].
    destruct (Nat.eqb_spec (f u) (f x)) as [E|Ne]; [apply Lf in E; congruence|].
    apply (same_blocks (length (flat es))); auto. intros a b Ha Hb.
    pose proof (untouched_in x es D0 a Ha). pose proof (untouched_in x es D0 b Hb). unfold join.
    destruct (Nat.eqb_spec (f a) (f u)) as [Ea|Na], (Nat.eqb_spec (f b) (f u)) as [Eb|Nb]; split; intros E; try congruence.
    + symmetry in E. apply Lf in E. contradiction.
    + apply Lf in E. contradiction.
  - cbn [flat flat_map fst snd app forest]. destruct (f u =? f v); [reflexivity|].
    apply IH; [|exact D]. intros z E. unfold join in E.
    destruct (Nat.eqb_spec (f x) (f u)) as [Ex|_]; [symmetry in Ex; apply Lf in Ex; congruence|].
    destruct (Nat.eqb_spec (f z) (f u)) as [Ez|_]; [|apply Lf; exact E].
    apply Lf in E. congruence.
Qed.

(** ** A forest with an edge has a leaf *)

Section Leaf.
  Variable n : nat.

  Lemma forest_roots : forall es f, good n f -> below n (flat es) -> forest f (flat es) = true ->
    exists g, good n g /\ length (roots n g) + length es = length (roots n f) /\
      (forall x, x < n -> degree es x = 0 -> f x = x -> (forall y, f y = x -> y = x) ->
        g x = x /\ forall y, g y = x -> y = x).
  Proof.
    induction es as [|[u v] es IH]; intros f G B F.
    - exists f. split; [exact G|]. split; [simpl; lia|auto].
    - cbn [flat flat_map fst snd app forest] in F, B.
      assert (Bu : u < n) by (apply B; left; reflexivity). assert (Bv : v < n) by (apply B; right; left; reflexivity).
      destruct (Nat.eqb_spec (f u) (f v)) as [|Ne]; [discriminate|].
      destruct (IH (join f u v)) as (g & Gg & Lg & H).
      + apply join_good; auto.
      + intros z Hz. apply B. right. right. exact Hz.
      + exact F.
      + exists g. split; [exact Gg|]. pose proof (join_roots n f u v G Bu Bv Ne). split; [simpl; lia|].
        intros x Hx D Ex Al. unfold degree in D. simpl in D. unfold ends in D at 1. simpl in D.
        destruct (Nat.eqb_spec u x) as [|Nu], (Nat.eqb_spec v x) as [|Nv]; try lia.
        assert (Fu : f u <> x) by (intros E; apply Al in E; contradiction).
        assert (Fv : f v <> x) by (intros E; apply Al in E; contradiction).
        apply H; auto.
        * unfold join. rewrite Ex. destruct (Nat.eqb_spec x (f u)); [congruence|reflexivity].
        * intros y. unfold join. destruct (Nat.eqb_spec (f y) (f u)); [contradiction|apply Al].
  Qed.

  Lemma degree_total : forall es, below n (flat es) -> list_sum (map (degree es) (seq 0 n)) = 2 * length es.
  Proof.
    assert (One : forall z m s, list_sum (map (fun x => if z =? x then 1 else 0) (seq s m)) =
      if (s <=? z) && (z <? s + m) then 1 else 0).
    { induction m as [|m IHm]; intros s; cbn [seq map list_sum fold_right].
      - destruct (Nat.leb_spec s z), (Nat.ltb_spec z (s + 0)); simpl; lia.
      - fold (list_sum (map (fun x => if z =? x then 1 else 0) (seq (S s) m))). rewrite IHm.
        destruct (Nat.eqb_spec z s), (Nat.leb_spec (S s) z), (Nat.ltb_spec z (S s + m)), (Nat.leb_spec s z),
          (Nat.ltb_spec z (s + S m)); simpl; lia. }
    assert (Add : forall (p q : nat -> nat) l, list_sum (map (fun x => p x + q x) l) = list_sum (map p l) + list_sum (map q l)).
    { induction l as [|x l IHl]; simpl; lia. }
    induction es as [|[u v] es IH]; intros B.
    - unfold degree. simpl. generalize (seq 0 n). induction l; simpl; auto.
    - change (map (degree ((u, v) :: es)) (seq 0 n)) with
        (map (fun x => ((if u =? x then 1 else 0) + (if v =? x then 1 else 0)) + degree es x) (seq 0 n)).
      rewrite Add, Add, !One, IH by (intros z Hz; apply B; right; right; exact Hz).
      assert (Bu : u < n) by (apply B; left; reflexivity). assert (Bv : v < n) by (apply B; right; left; reflexivity).
      destruct (Nat.ltb_spec u (0 + n)), (Nat.ltb_spec v (0 + n)); simpl in *; lia.
  Qed.

  Lemma no_leaf_no_tree : forall es, es <> [] -> below n (flat es) -> (forall x,
    x < n -> degree es x <> 1) -> tree (flat es) = false.
  Proof.
    intros es Ne B D. apply not_true_is_false. intros F.
    destruct (forest_roots es (fun x => x)) as (g & G & Lg & H); auto; [intros x Hx; auto|].
    assert (All : length (roots n (fun x => x)) = n).
    { unfold roots. rewrite (filter_ext _ (fun _ => true)) by (intros; apply Nat.eqb_refl).
      rewrite <- (seq_length n 0) at 2. f_equal. generalize (seq 0 n). induction l; simpl; congruence. }
    set (lone := filter (fun x => degree es x =? 0) (seq 0 n)).
    destruct es as [|[u v] es]; [contradiction|].
    assert (Bu : u < n) by (apply B; left; reflexivity).
    assert (Lone : forall x, In x lone -> x < n /\ degree ((u, v) :: es) x = 0).
    { intros x Hx. apply filter_In in Hx. rewrite in_seq, Nat.eqb_eq in Hx. lia. }
    assert (I : incl (g u :: lone) (roots n g)).
    { intros r [<-|Hr]; apply in_roots.
      - destruct (G u Bu). split; assumption.
      - destruct (Lone r Hr) as [Br Dr]. split; [exact Br|]. exact (proj1 (H r Br Dr eq_refl (fun y E => E))). }
    assert (Nl : NoDup (g u :: lone)).
    { constructor; [|apply NoDup_filter, seq_NoDup]. intros Hin. destruct (Lone _ Hin) as [Br Dr].
      destruct (H (g u) Br Dr eq_refl (fun y E => E)) as [_ Al]. specialize (Al u eq_refl). rewrite <- Al in Dr.
      unfold degree in Dr. simpl in Dr. unfold ends in Dr at 1. simpl in Dr. rewrite Nat.eqb_refl in Dr. lia. }
    apply NoDup_incl_length in I; [|exact Nl]. cbn [length] in I.
    clear H. assert (C : 2 * n <= list_sum (map (degree ((u, v) :: es)) (seq 0 n)) + 2 * length lone).
    { clear - D. unfold lone. rewrite <- (seq_length n 0) at 1.
      assert (D' : forall x, In x (seq 0 n) -> degree ((u, v) :: es) x <> 1) by (intros x Hx; apply in_seq in Hx; apply D; lia).
      revert D'. generalize (seq 0 n). induction l as [|x l IHl]; intros D'; cbn [map list_sum fold_right filter length];
        [lia|].
      specialize (IHl (fun y Hy => D' y (or_intror Hy))). specialize (D' x (or_introl eq_refl)). unfold list_sum in IHl.
      destruct (Nat.eqb_spec (degree ((u, v) :: es) x) 0); cbn [length]; lia. }
    rewrite degree_total in C by exact B. lia.
  Qed.
End Leaf.

(** ** The thought decides whether the edges form a tree *)

Lemma degree_app : forall a b x, degree (a ++ b) x = degree a x + degree b x.
Proof. intros. unfold degree. rewrite map_app. apply list_sum_app. Qed.

Lemma degree_cons : forall e es x, degree (e :: es) x = ends x e + degree es x.
Proof. reflexivity. Qed.

Lemma touches_ends : forall x e, touches x e = negb (ends x e =? 0).
Proof. intros. unfold touches, ends. destruct (fst e =? x), (snd e =? x); reflexivity. Qed.

(** The only edge of a leaf. *)
Lemma leaf_edge : forall es x, degree es x = 1 -> exists a e b, es = a ++ e :: b /\ find (touches x) es = Some e /\
  without x es = a ++ b /\ ends x e = 1.
Proof.
  induction es as [|e es IH]; intros x D; [discriminate|]. rewrite degree_cons in D. cbn [find].
  rewrite without_cons, touches_ends. destruct (Nat.eqb_spec (ends x e) 0) as [Z|NZ]; cbn [negb].
  - destruct (IH x) as (a & e' & b & -> & F & W & O); [lia|]. exists (e :: a), e', b. rewrite W. auto.
  - exists [], e, es. rewrite without_untouched by lia. repeat split; lia.
Qed.

Lemma ends_one : forall x e, ends x e = 1 -> (e = (x, other x e) \/ e = (other x e, x)) /\ other x e <> x.
Proof.
  intros x [u v] O. unfold ends, other in *. cbn [fst snd] in *.
  destruct (Nat.eqb_spec u x), (Nat.eqb_spec v x); subst; auto; discriminate.
Qed.

Section Decides.
  Variable n : nat.

  Definition among (es : list edge) : Prop := forall e, In e es -> 1 <= fst e <= n /\ 1 <= snd e <= n.
  Definition begin (es : list edge) : state := {| left := es; here := 0; pointers := 0; climbs := 0 |}.

  Lemma among_below : forall es, among es -> below (S n) (flat es).
  Proof.
    intros es A z Hz. apply in_flat_map in Hz. destruct Hz as (e & He & Hz). pose proof (A e He).
    destruct Hz as [<-|[<-|[]]]; lia.
  Qed.

  Lemma among_zero : forall es, among es -> degree es 0 = 0.
  Proof.
    induction es as [|[u v] es IH]; intros A; [reflexivity|]. rewrite degree_cons, IH by (intros e He; apply A; right;
      exact He).
    pose proof (A (u, v) (or_introl eq_refl)). unfold ends. simpl in *. destruct u, v; simpl; lia.
  Qed.

  (** What holds whenever a token is written: the edges left form a forest exactly if all edges do, and of the vertices up
      to the last pointer only that of the last token can be a leaf. *)
  Definition holds (es : list edge) (s : state) : Prop :=
    among (left s) /\ length (left s) + climbs s = length es /\ tree (flat (left s)) = tree (flat es) /\
    pointers s <= n /\ forall v, 1 <= v <= pointers s -> v <> here s -> degree (left s) v <> 1.

  Lemma holds_next : forall es s s', holds es s -> snd (next n (length es) s) = Some s' ->
    holds es s' /\ length (left s') + pointers s <= length (left s) + pointers s' /\
    length (left s') + (n - pointers s') < length (left s) + (n - pointers s).
  Proof.
    intros es [l x p c] s' (A & Len & T & P & D) E. unfold holds, next in *. cbn [left here pointers climbs] in *.
    destruct (Nat.eqb_spec (degree l x) 1) as [D1|D1].
    - destruct (leaf_edge l x D1) as (a & e & b & -> & F & W & O). rewrite F in E. cbn [snd] in E. injection E as <-.
      cbn [left here pointers climbs]. rewrite W. destruct (ends_one x e O) as [Ex Ne].
      rewrite !app_length in *. cbn [length] in *. split; [|lia]. split; [|split; [lia|split; [|split; [exact P|]]]].
      + intros e' He'. apply A. apply in_app_iff in He'. apply in_app_iff. destruct He'; [left|right; right]; assumption.
      + rewrite <- T. unfold tree. rewrite <- W. symmetry. apply remove_leaf; [intros z Hz; exact Hz|exact D1].
      + intros v Hv Nv. rewrite degree_app, degree_cons in D1. specialize (D v Hv).
        rewrite degree_app, degree_cons in D. rewrite degree_app.
        destruct (Nat.eq_dec v x) as [->|Nx]; [lia|]. specialize (D Nx).
        assert (ends v e = 0); [|lia]. clear - Ex Nv Nx. revert Ex Nv. generalize (other x e). intros y Ex Nv.
        destruct Ex as [-> | ->]; unfold ends; cbn [fst snd]; destruct (Nat.eqb_spec x v), (Nat.eqb_spec y v);
          congruence || reflexivity.
    - destruct (Nat.ltb_spec p n) as [Lt|]; [|destruct (c =? length es); discriminate].
      injection E as <-. cbn [left here pointers climbs]. split; [|lia]. repeat split; auto; try apply A; auto.
      intros v Hv Nv. destruct (Nat.eq_dec v x) as [->|Nx]; [exact D1|apply D; auto; lia].
  Qed.

  (** The answer is right at the end. *)
  Lemma holds_end : forall es s, length es = n - 1 -> holds es s -> snd (next n (length es) s) = None ->
    fst (next n (length es) s) = (if tree (flat es) then Yes else No).
  Proof.
    intros es [l x p c] Le (A & Len & T & P & D) E. unfold next in *. cbn [left here pointers climbs] in *.
    destruct (Nat.eqb_spec (degree l x) 1) as [D1|D1].
    - destruct (leaf_edge l x D1) as (a & e & b & _ & F & _). rewrite F in E. discriminate.
    - destruct (Nat.ltb_spec p n) as [|Ge]; [discriminate|]. rewrite <- T. cbn [fst].
      destruct l as [|e l].
      + cbn [length] in Len. replace c with (length es) by lia. rewrite Nat.eqb_refl. reflexivity.
      + rewrite (no_leaf_no_tree (S n) (e :: l)); [|discriminate|apply among_below; exact A|].
        * cbn [length] in Len. destruct (Nat.eqb_spec c (length es)); [lia|reflexivity].
        * intros v Hv. destruct (Nat.eq_dec v 0) as [->|]; [rewrite among_zero by exact A; discriminate|].
          destruct (Nat.eq_dec v x) as [->|Nx]; [exact D1|apply D; auto; lia].
  Qed.

  (** At most 2 n - 1 tokens are written, and then the right answer. *)
  Theorem peel_right : forall es, among es -> length es = n - 1 -> 1 <= n ->
    exists thought, writes n (length es) (2 * n) (begin es) = thought ++ [if tree (flat es) then Yes else No] /\
      length thought <= 2 * n - 1.
  Proof.
    intros es A Le Hn.
    assert (G : forall fuel s, holds es s -> length (left s) + (n - pointers s) < fuel ->
      exists thought, writes n (length es) fuel s = thought ++ [if tree (flat es) then Yes else No] /\ length thought < fuel).
    { induction fuel as [|fuel IH]; intros s Hs L; [lia|]. cbn [writes].
      destruct (snd (next n (length es) s)) as [s'|] eqn:E.
      - destruct (holds_next es s s' Hs E) as (Hs' & _ & Less). destruct (IH s' Hs') as (th & W & Lt); [lia|].
        exists (fst (next n (length es) s) :: th). rewrite W. split; [reflexivity|cbn [length]; lia].
      - exists []. rewrite (holds_end es s Le Hs E). split; [reflexivity|cbn [length]; lia]. }
    destruct (G (2 * n) (begin es)) as (th & W & L).
    - repeat split; try apply A; cbn; auto; lia.
    - cbn [left begin pointers]. lia.
    - exists th. split; [exact W|lia].
  Qed.
End Decides.

(** The edges 1 2 and 2 3 meet the hypotheses: the thought has 5 tokens, as many as it can have for 3 vertices. *)
Example a_path : (exists thought, writes 3 2 6 (begin [(1, 2); (2, 3)]) = thought ++ [Yes] /\ length thought <= 2 * 3 - 1) /\
  writes 3 2 6 (begin [(1, 2); (2, 3)]) = [Pointer 1; Vertex 2; Vertex 3; Pointer 2; Pointer 3; Yes].
Proof.
  split; [|reflexivity]. apply (peel_right 3 [(1, 2); (2, 3)]); [|reflexivity|lia].
  intros e [<-|[<-|[]]]; simpl; lia.
Qed.
