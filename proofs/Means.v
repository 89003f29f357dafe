(** One attention layer with exact sums, each mean rounded once: how much one party learns of the other's tokens.

    In words. A layer has H heads of m coordinates. Weights and sums are exact. Each mean is rounded to the number of
    thresholds that are at most the mean; there are K of them, so 2^p - 1 for numbers of p bits. Alice has some positions, Bob
    has the others and B possible inputs. The sums of Alice are a point in m + 1 dimensions, and each coordinate, threshold
    and input of Bob is a half-space of them. T half-spaces of d dimensions have at most [cells] T (d + 1) patterns of points
    ([patterns_few]), the sum of the binomials C(T, i) for i <= d. So if Bob's inputs distinguish A inputs of Alice, A <=
    cells(m K B, m + 2)^H ([means_message]).
    - Induction over 2 B tokens of S symbols: (S - 1)^B <= cells^H ([induction_one_layer]).
    - Composition of two functions over [n]: n^n <= cells^H with B = n ([composition_of_means]).

    Source: the ideas are those of Sanford, Hsu, Telgarsky 2024 (arXiv:2408.14332) and of Peng, Narayanan, Papadimitriou 2024
    (arXiv:2402.08164); statements and constants are our own. The number of patterns is the lemma of Sauer and Shelah.
    In Python: [induction-one-layer], [composition-one-layer] with the arithmetic `exact`, [retrieval-one-layer], [cells].

    The hypotheses, for a real model. The last token is fixed, so all functions may depend on it. Weights are whole numbers,
    so the statement is for rational weights, multiplied by a common denominator; that it holds for e^score is the written
    proof. A threshold is a fraction. Rounding down and to the nearest, with halves up, are such roundings. *)

From Coq Require Import List Arith Lia ZArith FinFun Bool.
From Seqsep Require Import Words OneLayer Rank.
Import ListNotations.
Local Open Scope nat_scope.

(** ** The lemma of Sauer and Shelah. *)

(** The sum of the binomials C(T, i) for i < k. *)
Fixpoint cells (T k : nat) : nat :=
  match k with
  | 0 => 0
  | S j => match T with 0 => 1 | S T => cells T (S j) + cells T j end
  end.

(** Some k positions show all patterns. *)
Inductive shatters : nat -> (list bool -> Prop) -> Prop :=
| shatters_none : forall (F : list bool -> Prop) w, F w -> shatters 0 F
| shatters_skip : forall k (F : list bool -> Prop), shatters k (fun w => F (true :: w) \/ F (false :: w)) -> shatters k F
| shatters_take : forall k (F : list bool -> Prop), shatters k (fun w => F (true :: w) /\ F (false :: w)) -> shatters (S k) F.

Lemma shatters_more : forall k (F G : list bool -> Prop), shatters k F -> (forall w, F w -> G w) -> shatters k G.
Proof.
  intros k F G H. revert G. induction H as [F w Hw|k F H IH|k F H IH]; intros G I.
  - apply (shatters_none G w). auto.
  - apply shatters_skip, IH. intros w [Hw|Hw]; auto.
  - apply shatters_take, IH. intros w [Hw Hw']; auto.
Qed.

(** The positions, and a word for each pattern of them. *)
Lemma shatters_positions : forall k (F : list bool -> Prop), shatters k F -> exists positions, length positions = k /\
  forall pattern, length pattern = k -> exists w, F w /\ map (fun i => nth i w false) positions = pattern.
Proof.
  intros k F H. induction H as [F w Hw|k F H (I & L & P)|k F H (I & L & P)].
  - exists []. split; auto. intros [|b p] Hp; [exists w; auto|discriminate].
  - exists (map S I). split; [rewrite map_length; exact L|]. intros p Hp. destruct (P p Hp) as (w & [Hw|Hw] & E).
    + exists (true :: w). rewrite map_map. auto.
    + exists (false :: w). rewrite map_map. auto.
  - exists (0 :: map S I). split; [simpl; rewrite map_length; auto|]. intros [|b p] Hp; [discriminate|].
    destruct (P p ltac:(simpl in Hp; lia)) as (w & [Ht Hf] & E).
    exists (b :: w). simpl. rewrite map_map, E. destruct b; auto.
Qed.

Definition tails (b : bool) (F : list (list bool)) : list (list bool) :=
  map (@tl bool) (filter (fun w => eqb (hd false w) b) F).

Lemma in_tails : forall b F w, (forall v, In v F -> v <> []) -> In w (tails b F) -> In (b :: w) F.
Proof.
  intros b F w N H. apply in_map_iff in H. destruct H as (v & <- & Hv). apply filter_In in Hv. destruct Hv as [Hv E].
  specialize (N v Hv). destruct v as [|c v]; [contradiction|]. apply eqb_prop in E. simpl in *. subst. exact Hv.
Qed.

Lemma tails_length : forall F, length (tails true F) + length (tails false F) = length F.
Proof.
  intros F. unfold tails. rewrite !map_length. induction F as [|w F IH]; simpl; auto.
  destruct (hd false w); simpl; lia.
Qed.

Lemma tails_nodup : forall b F, NoDup F -> (forall v, In v F -> v <> []) -> NoDup (tails b F).
Proof.
  intros b F. unfold tails. induction F as [|w F IH]; intros Nd N; simpl; [constructor|]. inversion Nd; subst.
  destruct (eqb (hd false w) b) eqn:E; [|apply IH; auto; intros v Hv; apply N; right; exact Hv].
  simpl. constructor; [|apply IH; auto; intros v Hv; apply N; right; exact Hv].
  intros Hin. pose proof (in_tails b F (tl w) (fun v Hv => N v (or_intror Hv)) Hin) as I.
  destruct w as [|c w]; [exact (N [] (or_introl eq_refl) eq_refl)|]. apply eqb_prop in E. simpl in *. subst. contradiction.
Qed.

Definition has (F : list (list bool)) (w : list bool) : bool := if in_dec (list_eq_dec bool_dec) w F then true else false.

Theorem sauer_shelah : forall T k F, NoDup F -> (forall w, In w F -> length w = T) -> cells T k < length F ->
  shatters k (fun w => In w F).
Proof.
  induction T as [|T IH]; intros k F Nd L H.
  - destruct k as [|k].
    + destruct F as [|w F]; [simpl in H; lia|]. apply (shatters_none _ w). left. reflexivity.
    + exfalso. simpl in H. assert (I : incl F [[]]).
      { intros w Hw. left. specialize (L w Hw). destruct w; [reflexivity|discriminate]. }
      apply NoDup_incl_length in I; [simpl in I; lia|exact Nd].
  - destruct k as [|k].
    + destruct F as [|w F]; [simpl in H; lia|]. apply (shatters_none _ w). left. reflexivity.
    + assert (N : forall v, In v F -> v <> []) by (intros v Hv ->; specialize (L _ Hv); discriminate).
      set (A := tails true F). set (B := tails false F).
      set (U := A ++ filter (fun w => negb (has A w)) B). set (V := filter (has A) B).
      assert (LT : forall b w, In w (tails b F) -> length w = T).
      { intros b w Hw. pose proof (L _ (in_tails b F w N Hw)) as E. simpl in E. lia. }
      assert (Size : length U + length V = length F).
      { rewrite <- (tails_length F). fold A B. unfold U, V. rewrite app_length.
        enough (length (filter (fun w => negb (has A w)) B) + length (filter (has A) B) = length B) by lia.
        generalize B. clear. induction B as [|w B IH]; simpl; auto. destruct (has A w); simpl; lia. }
      simpl in H. destruct (le_lt_dec (length U) (cells T (S k))) as [Few|Many].
      * apply shatters_take. apply (shatters_more k (fun w => In w V)).
        -- apply IH; [apply NoDup_filter, tails_nodup; auto| |lia].
           intros w Hw. apply filter_In in Hw. apply (LT false). tauto.
        -- intros w Hw. apply filter_In in Hw. destruct Hw as [Hw Ha]. unfold has in Ha.
           destruct (in_dec (list_eq_dec bool_dec) w A) as [Hin|]; [|discriminate].
           split; [apply (in_tails true)|apply (in_tails false)]; auto.
      * apply shatters_skip. apply (shatters_more (S k) (fun w => In w U)).
        -- apply IH; [|intros w Hw; apply in_app_iff in Hw; destruct Hw as [Hw|Hw]|exact Many].
           ++ apply NoDup_app_disjoint; [apply tails_nodup; auto|apply NoDup_filter, tails_nodup; auto|].
              intros w Hw Hw'. apply filter_In in Hw'. destruct Hw' as [_ E]. unfold has in E.
              destruct (in_dec (list_eq_dec bool_dec) w A); [discriminate|contradiction].
           ++ apply (LT true). exact Hw.
           ++ apply filter_In in Hw. apply (LT false). tauto.
        -- intros w Hw. apply in_app_iff in Hw. destruct Hw as [Hw|Hw]; [left; apply (in_tails true); auto|right].
           apply filter_In in Hw. apply (in_tails false); tauto.
Qed.

(** ** Points and half-spaces. *)

Local Open Scope Z_scope.

(** A half-space: the points with a . p >= b, in d dimensions. *)
Definition inside (d : nat) (p : nat -> Z) (plane : (nat -> Z) * Z) : bool :=
  0 <=? sum d (fun j => fst plane j * p j) - snd plane.
Definition pattern (d : nat) (planes : list ((nat -> Z) * Z)) (p : nat -> Z) : list bool := map (inside d p) planes.

Lemma sum_sub : forall n f g, sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n as [|n IH]; intros; simpl; [lia|]. rewrite IH. lia. Qed.

Lemma sum_nonpositive : forall n f, (forall i, (i < n)%nat -> f i <= 0) -> sum n f <= 0.
Proof. induction n as [|n IH]; intros f H; simpl; [lia|]. pose proof (H n ltac:(lia)). specialize (IH f ltac:(auto)). lia. Qed.

Lemma sum_negative : forall n f i, (forall i, (i < n)%nat -> f i <= 0) -> (i < n)%nat -> f i < 0 -> sum n f < 0.
Proof.
  induction n as [|n IH]; intros f i H Hi N; simpl; [lia|]. pose proof (H n ltac:(lia)).
  pose proof (sum_nonpositive n f ltac:(auto)). destruct (Nat.eq_dec i n) as [->|]; [lia|].
  specialize (IH f i ltac:(auto) ltac:(lia) N). lia.
Qed.

(** No d + 1 half-spaces show all patterns: their normals depend on each other. *)
Lemma planes_not_shattered : forall d planes (points : list (nat -> Z)),
  ~ shatters (S d) (fun w => In w (map (pattern d planes) points)).
Proof.
  intros d planes points H. destruct (shatters_positions _ _ H) as (I & L & P).
  set (plane := fun i => nth (nth i I 0%nat) planes (fun _ => 0, 1)).
  destruct (rows_depend d (S d) (fun i j => fst (plane i) j) ltac:(lia)) as (c & (i0 & Hi0 & Nc) & Hc).
  (* The sign of a . p - b of plane i, for the point of a pattern. *)
  assert (Point : forall sign : nat -> bool, exists p, forall i, (i < S d)%nat ->
    (if sign i then 0 <= sum d (fun j => fst (plane i) j * p j) - snd (plane i)
     else sum d (fun j => fst (plane i) j * p j) - snd (plane i) < 0)).
  { intros sign. destruct (P (map sign (seq 0 (S d)))) as (w & Hw & E); [rewrite map_length, seq_length; reflexivity|].
    apply in_map_iff in Hw. destruct Hw as (p & <- & _). exists p. intros i Hi.
    assert (Bit : nth (nth i I 0%nat) (pattern d planes p) false = sign i).
    { pose proof (f_equal (fun l => nth i l false) E) as G. cbv beta in G.
      rewrite (nth_indep (map sign _) false (sign 0%nat)), map_nth, seq_nth in G by (rewrite ?map_length, ?seq_length; lia).
      rewrite (nth_indep _ false (nth 0 (pattern d planes p) false)) in G by (rewrite map_length; lia).
      rewrite (map_nth (fun i => nth i (pattern d planes p) false)) in G. exact G. }
    unfold pattern in Bit. destruct (le_lt_dec (length planes) (nth i I 0%nat)) as [Out|In_].
    - (* A position beyond the half-spaces: the default plane is empty. *)
      rewrite nth_overflow in Bit by (rewrite map_length; exact Out). rewrite <- Bit.
      unfold plane. rewrite nth_overflow by exact Out. simpl.
      rewrite sum_zero; [lia|]. intros j _. reflexivity.
    - rewrite (nth_indep _ false (inside d p (fun _ => 0, 1))) in Bit by (rewrite map_length; exact In_).
      rewrite map_nth in Bit. fold (plane i) in Bit. unfold inside in Bit.
      destruct (sign i); [apply Z.leb_le; exact Bit|apply Z.leb_gt; exact Bit]. }
  assert (Same : forall p, sum (S d) (fun i => c i * (sum d (fun j => fst (plane i) j * p j) - snd (plane i))) =
    - sum (S d) (fun i => c i * snd (plane i))).
  { intros p.
    rewrite (sum_ext _ _ (fun i => sum d (fun j => c i * (fst (plane i) j * p j)) - c i * snd (plane i)))
      by (intros i _; rewrite sum_scale; ring).
    rewrite sum_sub, sum_swap, (sum_zero d); [lia|]. intros j Hj.
    rewrite (sum_ext _ _ (fun i => p j * (c i * fst (plane i) j))) by (intros; ring).
    rewrite sum_scale, Hc by exact Hj. ring. }
  destruct (Point (fun i => c i <? 0)) as (p & Hp), (Point (fun i => 0 <? c i)) as (q & Hq).
  pose proof (Same p) as Sp. pose proof (Same q) as Sq. rewrite <- Sq in Sp. clear Same Sq Point P.
  set (up := fun i => sum d (fun j => fst (plane i) j * p j) - snd (plane i)) in *.
  set (uq := fun i => sum d (fun j => fst (plane i) j * q j) - snd (plane i)) in *.
  assert (A : forall i, (i < S d)%nat -> c i * up i <= 0 /\ (0 < c i -> c i * up i < 0)).
  { intros i Hi. specialize (Hp i Hi). fold (up i) in Hp. destruct (Z.ltb_spec (c i) 0); split; intros; nia. }
  assert (B : forall i, (i < S d)%nat -> - (c i * uq i) <= 0 /\ (c i < 0 -> - (c i * uq i) < 0)).
  { intros i Hi. specialize (Hq i Hi). fold (uq i) in Hq. destruct (Z.ltb_spec 0 (c i)); split; intros; nia. }
  pose proof (sum_nonpositive (S d) (fun i => c i * up i) (fun i Hi => proj1 (A i Hi))) as Np.
  pose proof (sum_nonpositive (S d) (fun i => - (c i * uq i)) (fun i Hi => proj1 (B i Hi))) as Nq.
  assert (Opp : sum (S d) (fun i => - (c i * uq i)) = - sum (S d) (fun i => c i * uq i)).
  { rewrite (sum_ext _ _ (fun i => (-1) * (c i * uq i))) by (intros; ring). rewrite sum_scale. ring. }
  destruct (Z.lt_total (c i0) 0) as [C|[C|C]]; [|contradiction|].
  - pose proof (sum_negative (S d) (fun i => - (c i * uq i)) i0 (fun i Hi => proj1 (B i Hi)) Hi0 (proj2 (B i0 Hi0) C)).
    unfold up, uq in *. lia.
  - pose proof (sum_negative (S d) (fun i => c i * up i) i0 (fun i Hi => proj1 (A i Hi)) Hi0 (proj2 (A i0 Hi0) C)).
    unfold up, uq in *. lia.
Qed.

Definition patterns (d : nat) (planes : list ((nat -> Z) * Z)) (points : list (nat -> Z)) : list (list bool) :=
  nodup (list_eq_dec bool_dec) (map (pattern d planes) points).

Theorem patterns_few : forall d planes points, (length (patterns d planes points) <= cells (length planes) (S d))%nat.
Proof.
  intros d planes points. destruct (le_lt_dec (length (patterns d planes points)) (cells (length planes) (S d))) as [|H]; auto.
  exfalso. apply (planes_not_shattered d planes points).
  apply (shatters_more (S d) (fun w => In w (patterns d planes points))).
  - apply (sauer_shelah (length planes)); auto; [apply NoDup_nodup|].
    intros w Hw. apply nodup_In, in_map_iff in Hw. destruct Hw as (p & <- & _). apply map_length.
  - intros w Hw. apply nodup_In in Hw. exact Hw.
Qed.

(** ** The layer. *)

(** All choices of one entry from each list. *)
Fixpoint choices {A} (lists : list (list A)) : list (list A) :=
  match lists with [] => [[]] | l :: lists => flat_map (fun a => map (cons a) (choices lists)) l end.

Lemma choices_length : forall {A} (lists : list (list A)) c, (forall l, In l lists -> (length l <= c)%nat) ->
  (length (choices lists) <= c ^ length lists)%nat.
Proof.
  induction lists as [|l lists IH]; intros c H; simpl; auto.
  rewrite (length_flat_map_same _ _ (length (choices lists))) by (intros; apply map_length).
  apply Nat.mul_le_mono; [apply H; left; reflexivity|apply IH; intros k Hk; apply H; right; exact Hk].
Qed.

Lemma in_choices : forall {A B} (f : B -> A) (lists : B -> list A) l, (forall h, In h l -> In (f h) (lists h)) ->
  In (map f l) (choices (map lists l)).
Proof.
  induction l as [|h l IH]; intros H; simpl; [left; reflexivity|]. apply in_flat_map. exists (f h).
  split; [apply H; left; reflexivity|]. apply in_map, IH. intros k Hk. apply H. right. exact Hk.
Qed.

Section Layer.
  Variables Token Answer : Type.
  Variables N H m : nat.
  Variable weight : nat -> nat -> Token -> Z.                  (* head, position, token *)
  Variable value : nat -> nat -> nat -> Token -> Z.            (* head, coordinate, position, token *)
  Variable thresholds : list (Z * Z).                          (* numerator and denominator *)
  Variable finish : list nat -> Answer.

  Definition weights_of (positions : list nat) (w : nat -> Token) (h : nat) : Z := total positions (fun i => weight h i (w i)).
  Definition values_of (positions : list nat) (w : nat -> Token) (h c : nat) : Z :=
    total positions (fun i => weight h i (w i) * value h c i (w i)).

  (** The mean s / z is at least the threshold. *)
  Definition passes (s z : Z) (t : Z * Z) : bool := fst t * z <=? snd t * s.
  Definition rounded (s z : Z) : nat := length (filter (passes s z) thresholds).

  Definition output (w : nat -> Token) : list nat :=
    flat_map (fun h => map (fun c => rounded (values_of (seq 0 N) w h c) (weights_of (seq 0 N) w h)) (seq 0 m)) (seq 0 H).
  Definition answer_of_means (w : nat -> Token) : Answer := finish (output w).

  Variable alice_has : nat -> bool.
  Definition together (x y : nat -> Token) (i : nat) : Token := if alice_has i then x i else y i.
  Let alices := filter alice_has (seq 0 N).
  Let bobs := filter (fun i => negb (alice_has i)) (seq 0 N).

  Lemma total_together : forall (g : nat -> Token -> Z) x y, total (seq 0 N) (fun i => g i (together x y i)) =
    total alices (fun i => g i (x i)) + total bobs (fun i => g i (y i)).
  Proof.
    intros g x y. rewrite (total_split alice_has). f_equal; apply total_ext; intros i Hi; apply filter_In in Hi;
      destruct Hi as [_ E]; unfold together.
    - rewrite E. reflexivity.
    - apply negb_true_iff in E. rewrite E. reflexivity.
  Qed.

  (** Alice's sums: of her weights, and of her weighted values. *)
  Definition point (x : nat -> Token) (h j : nat) : Z :=
    match j with 0%nat => weights_of alices x h | S c => values_of alices x h c end.

  Definition plane (h c : nat) (t : Z * Z) (y : nat -> Token) : (nat -> Z) * Z :=
    (fun j => if (j =? 0)%nat then - fst t else if (j =? S c)%nat then snd t else 0,
     fst t * weights_of bobs y h - snd t * values_of bobs y h c).

  Variable ys : list (nat -> Token).
  Definition planes (h : nat) : list ((nat -> Z) * Z) :=
    flat_map (fun c => flat_map (fun t => map (plane h c t) ys) thresholds) (seq 0 m).

  Lemma planes_length : forall h, length (planes h) = (m * (length thresholds * length ys))%nat.
  Proof.
    intros h. unfold planes. rewrite (length_flat_map_same _ _ (length thresholds * length ys)%nat), seq_length; auto.
    intros c _. apply length_flat_map_same. intros t _. apply map_length.
  Qed.

  (** A mean passes a threshold exactly if Alice's point is in the half-space. *)
  Lemma passes_inside : forall x y h c t, (c < m)%nat ->
    passes (values_of (seq 0 N) (together x y) h c) (weights_of (seq 0 N) (together x y) h) t =
    inside (S m) (point x h) (plane h c t y).
  Proof.
    intros x y h c t Hc. unfold passes, inside, values_of, weights_of, plane. cbn [fst snd].
    rewrite (total_together (fun i one => weight h i one)), (total_together (fun i one => weight h i one * value h c i one)).
    fold (weights_of alices x h) (weights_of bobs y h) (values_of alices x h c) (values_of bobs y h c).
    rewrite (sum_ext _ _ (fun j => (if (j =? 0)%nat then - fst t * point x h 0 else 0) +
      (if (j =? S c)%nat then snd t * point x h (S c) else 0))).
    2: { intros j _. destruct (Nat.eqb_spec j 0) as [->|]; [simpl; lia|]. destruct (Nat.eqb_spec j (S c)) as [->|]; lia. }
    rewrite sum_add, (sum_one (S m) 0), (sum_one (S m) (S c)); try lia.
    - rewrite !Nat.eqb_refl. unfold point at 1 2.
      destruct (Z.leb_spec (fst t * (weights_of alices x h + weights_of bobs y h)) (snd t * (values_of alices x h c +
        values_of bobs y h c)));
        symmetry; [apply Z.leb_le|apply Z.leb_gt]; lia.
    - intros j _ Nj. destruct (Nat.eqb_spec j (S c)); [contradiction|reflexivity].
    - intros j _ Nj. destruct (Nat.eqb_spec j 0); [contradiction|reflexivity].
  Qed.

  Lemma same_patterns : forall x x', (forall h, (h < H)%nat ->
    pattern (S m) (planes h) (point x h) = pattern (S m) (planes h) (point x' h)) ->
    forall y, In y ys -> answer_of_means (together x y) = answer_of_means (together x' y).
  Proof.
    intros x x' E y Hy. unfold answer_of_means, output. f_equal. rewrite !flat_map_concat_map. f_equal. apply map_ext_in.
    intros h Hh. apply in_seq in Hh. apply map_ext_in. intros c Hc. apply in_seq in Hc. unfold rounded. f_equal.
    apply filter_ext_in. intros t Ht. rewrite !passes_inside by lia.
    apply (ext_in_map (E h ltac:(lia))). unfold planes. apply in_flat_map. exists c. split; [apply in_seq; lia|].
    apply in_flat_map. exists t. split; [exact Ht|]. apply in_map. exact Hy.
  Qed.

  (** Alice's inputs that Bob's distinguish are at most cells(m K B, m + 2)^H. *)
  Theorem means_message : forall xs, NoDup xs ->
    (forall x x', In x xs -> In x' xs -> x <> x' -> exists y, In y ys /\
      answer_of_means (together x y) <> answer_of_means (together x' y)) ->
    (length xs <= cells (m * (length thresholds * length ys)) (m + 2) ^ H)%nat.
  Proof.
    intros xs Nd D. set (message := fun x => map (fun h => pattern (S m) (planes h) (point x h)) (seq 0 H)).
    set (all := choices (map (fun h => patterns (S m) (planes h) (map (fun x => point x h) xs)) (seq 0 H))).
    assert (Few : (length all <= cells (m * (length thresholds * length ys)) (m + 2) ^ H)%nat).
    { unfold all. etransitivity; [apply choices_length|rewrite map_length, seq_length; reflexivity].
      intros l Hl. apply in_map_iff in Hl. destruct Hl as (h & <- & _). rewrite <- (planes_length h).
      replace (m + 2)%nat with (S (S m)) by lia. apply patterns_few. }
    rewrite <- Few, <- (map_length message). apply NoDup_incl_length.
    - assert (G : forall l, incl l xs -> NoDup l -> NoDup (map message l)).
      { induction l as [|x l IH]; intros I Nl; simpl; constructor; inversion Nl; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (x' & E & Hx').
          destruct (D x x') as (y & Hy & W); [apply I; left; auto|apply I; right; auto|intros ->; contradiction|].
          apply W. apply same_patterns; auto. intros h Hh. symmetry.
          apply (ext_in_map E). apply in_seq. lia.
        - apply IH; auto. intros z Hz. apply I. right. exact Hz. }
      apply G; [apply incl_refl|exact Nd].
    - intros msg Hm. apply in_map_iff in Hm. destruct Hm as (x & <- & Hx).
      apply (in_choices (fun h => pattern (S m) (planes h) (point x h))).
      intros h _. apply nodup_In, in_map, (in_map (fun x => point x h)), Hx.
  Qed.
End Layer.

Arguments answer_of_means {Token Answer}.
Arguments together {Token}.

Section Tasks.
  Variables Token Answer : Type.
  Variables N H m : nat.
  Variable weight : nat -> nat -> Token -> Z.
  Variable value : nat -> nat -> nat -> Token -> Z.
  Variable thresholds : list (Z * Z).
  Variable finish : list nat -> Answer.

  Lemma means_ext : forall w w', (forall i, (i < N)%nat -> w i = w' i) ->
    answer_of_means N H m weight value thresholds finish w = answer_of_means N H m weight value thresholds finish w'.
  Proof.
    intros w w' E. unfold answer_of_means, output. f_equal. rewrite !flat_map_concat_map. f_equal. apply map_ext. intros h.
    apply map_ext. intros c. unfold values_of, weights_of.
    f_equal; apply total_ext; intros i Hi; apply in_seq in Hi; rewrite E by lia; reflexivity.
  Qed.

  (** [means_message] for inputs of Alice that are written as values of another type. *)
  Lemma means_message_of : forall {X} (enc : X -> nat -> Token) (alice_has : nat -> bool) ys (l : list X), NoDup l ->
    (forall x x', In x l -> In x' l -> x <> x' -> exists y, In y ys /\
      answer_of_means N H m weight value thresholds finish (together alice_has (enc x) y) <>
      answer_of_means N H m weight value thresholds finish (together alice_has (enc x') y)) ->
    (length l <= cells (m * (length thresholds * length ys)) (m + 2) ^ H)%nat.
  Proof.
    intros X enc alice_has ys l Nd D. rewrite <- (map_length enc).
    apply (means_message Token Answer N H m weight value thresholds finish alice_has ys).
    - assert (G : forall k, incl k l -> NoDup k -> NoDup (map enc k)).
      { induction k as [|x k IH]; intros I Nk; simpl; constructor; inversion Nk; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (x' & E & Hx').
          destruct (D x x') as (y & _ & W); [apply I; left; auto|apply I; right; auto|intros ->; contradiction|].
          apply W. rewrite E. reflexivity.
        - apply IH; auto. intros z Hz. apply I. right. exact Hz. }
      apply G; [apply incl_refl|exact Nd].
    - intros x x' Hx Hx' Ne. apply in_map_iff in Hx, Hx'. destruct Hx as (u & <- & Hu), Hx' as (v & <- & Hv).
      apply D; auto. intros ->. contradiction.
  Qed.
End Tasks.

(** Induction: the token after the latest q. *)
Fixpoint after_latest (q : nat) (w : list nat) : option nat :=
  match w with
  | a :: rest => match after_latest q rest with
                 | Some c => Some c
                 | None => match rest with b :: _ => if (a =? q)%nat then Some b else None | [] => None end
                 end
  | [] => None
  end.

Lemma latest_weave : forall q j (u v : nat -> nat) l, (forall i, In i l -> v i <> q) ->
  (forall i, In i l -> u i = q <-> i = j) -> NoDup l ->
  after_latest q (flat_map (fun i => [u i; v i]) l) = if in_dec Nat.eq_dec j l then Some (v j) else None.
Proof.
  intros q j u v. induction l as [|i l IH]; intros Hv Hu Nd; [reflexivity|]. inversion Nd as [|? ? Ni Nl]; subst.
  cbn [flat_map app].
  assert (E : after_latest q (u i :: v i :: flat_map (fun i => [u i; v i]) l) =
    match after_latest q (flat_map (fun i => [u i;
      v i]) l) with Some c => Some c | None => if (u i =? q)%nat then Some (v i) else None end).
  { assert (F : forall a r, a <> q -> after_latest q (a :: r) = after_latest q r).
    { intros a r Na. simpl. destruct (after_latest q r); auto. destruct r; auto.
      destruct (Nat.eqb_spec a q); [contradiction|reflexivity]. }
    rewrite <- (F (v i) (flat_map (fun i => [u i; v i]) l) (Hv i (or_introl eq_refl))). reflexivity. }
  rewrite E, IH; auto; [|intros k Hk; apply Hv; right; exact Hk|intros k Hk; apply Hu; right; exact Hk].
  pose proof (Hu i (or_introl eq_refl)) as Hi.
  destruct (in_dec Nat.eq_dec j l) as [Hj|Hj], (in_dec Nat.eq_dec j (i :: l)) as [Hj'|Hj']; auto.
  - exfalso. apply Hj'. right. exact Hj.
  - destruct Hj' as [<-|Hj']; [|contradiction].
    destruct (Nat.eqb_spec (u i) q) as [|Ne]; [reflexivity|exfalso; apply Ne, Hi; reflexivity].
  - destruct (Nat.eqb_spec (u i) q) as [Eq|]; auto. exfalso. apply Hj'. left. apply Hi. exact Eq.
Qed.

Lemma pairs_of_positions : forall (f : nat -> nat) B,
  map f (seq 0 (2 * B)) = flat_map (fun i => [f (2 * i); f (2 * i + 1)])%nat (seq 0 B).
Proof.
  intros f B. induction B as [|B IH]; [reflexivity|].
  replace (2 * S B)%nat with (S (S (2 * B))) by lia. rewrite !seq_S, !map_app, IH, flat_map_app, <- app_assoc. simpl.
  do 3 f_equal; f_equal; lia.
Qed.

Section Induction.
  Variables B symbols q H m : nat.
  Variable weight : nat -> nat -> nat -> Z.
  Variable value : nat -> nat -> nat -> nat -> Z.
  Variable thresholds : list (Z * Z).
  Variable finish : list nat -> nat.

  (** The layer is right on all words of 2 B tokens with a q before the last of them, if the last token is q. *)
  Definition does_induction : Prop := forall w b, length w = (2 * B)%nat -> (forall x, In x w -> (x < symbols)%nat) ->
    after_latest q w = Some b ->
    answer_of_means (2 * B + 1) H m weight value thresholds finish (fun i => nth i (w ++ [q]) 0%nat) = b.

  Definition other_symbols : list nat := filter (fun a => negb (a =? q)%nat) (seq 0 symbols).

  Lemma other_symbols_length : (q < symbols)%nat -> S (length other_symbols) = symbols.
  Proof.
    intros Hq. transitivity (length (seq 0 symbols)); [|apply seq_length]. unfold other_symbols.
    generalize (seq_NoDup symbols 0).
    assert (I : In q (seq 0 symbols)) by (apply in_seq; lia). revert I.
    induction (seq 0 symbols) as [|a l IH]; intros I Nd; [destruct I|]. inversion Nd; subst. simpl.
    destruct (Nat.eqb_spec a q) as [->|Ne]; simpl; f_equal.
    - clear IH Nd I. induction l as [|b l IH]; [reflexivity|]. simpl. destruct (Nat.eqb_spec b q) as [->|]; simpl.
      + exfalso. match goal with X : ~ In _ _ |- _ => apply X end. left. reflexivity.
      + f_equal. apply IH; [intros X; match goal with Y : ~ In _ _ |- _ => apply Y end; right; exact X|].
        match goal with Y : NoDup (_ :: _) |- _ => inversion Y; assumption end.
    - apply IH; auto. destruct I as [->|]; [contradiction|assumption].
  Qed.

  (** Alice has the odd positions, Bob the even ones: q at his place j, and another symbol elsewhere. *)
  Definition odd_tokens (x : list nat) (i : nat) : nat := nth (i / 2) x 0%nat.
  Definition even_tokens (other j i : nat) : nat := if (i =? 2 * j)%nat || (i =? 2 * B)%nat then q else other.

  Theorem induction_one_layer : (q < symbols)%nat -> (2 <= symbols)%nat -> does_induction ->
    ((symbols - 1) ^ B <= cells (m * (length thresholds * B)) (m + 2) ^ H)%nat.
  Proof.
    intros Hq Hs D. pose proof (other_symbols_length Hq) as Len.
    replace (symbols - 1)%nat with (length other_symbols) by lia. rewrite <- words_length.
    assert (In_other : forall a, In a other_symbols -> (a < symbols)%nat /\ a <> q).
    { intros a Ha. apply filter_In in Ha. destruct Ha as [Ha E]. apply in_seq in Ha.
      destruct (Nat.eqb_spec a q); [discriminate|]. split; [lia|assumption]. }
    destruct other_symbols as [|a0 rest] eqn:Symbols; [simpl in Len; lia|]. rewrite <- Symbols in *.
    assert (A0 : In a0 other_symbols) by (rewrite Symbols; left; reflexivity).
    set (ys := map (even_tokens a0) (seq 0 B)).
    replace (length thresholds * B)%nat with (length thresholds * length ys)%nat
      by (unfold ys; rewrite map_length, seq_length; reflexivity).
    apply (means_message_of nat nat (2 * B + 1) H m weight value thresholds finish odd_tokens Nat.odd ys).
    - apply words_nodup. unfold other_symbols. apply NoDup_filter, seq_NoDup.
    - (* The answer to Bob's place j is Alice's symbol there. *)
      assert (Right : forall x j, In x (words other_symbols B) -> (j < B)%nat ->
        answer_of_means (2 * B + 1) H m weight value thresholds finish (together Nat.odd (odd_tokens x) (even_tokens a0
          j)) = nth j x 0%nat).
      { intros x j Hx Hj. apply in_words in Hx. destruct Hx as [Lx Rx].
        assert (Rn : forall i, (i < B)%nat -> In (nth i x 0%nat) other_symbols).
        { intros i Hi. apply Rx, nth_In. lia. }
        set (w := together Nat.odd (odd_tokens x) (even_tokens a0 j)).
        assert (Even : forall i, (i < B)%nat -> w (2 * i)%nat = if (i =? j)%nat then q else a0).
        { intros i Hi. unfold w, together. rewrite Nat.odd_mul. simpl Nat.odd at 1. cbn [andb].
          unfold even_tokens. destruct (Nat.eqb_spec (2 * i) (2 * j)), (Nat.eqb_spec (2 * i) (2 * B)), (Nat.eqb_spec i j);
            simpl; auto; lia. }
        assert (Odd : forall i, w (2 * i + 1)%nat = nth i x 0%nat).
        { intros i. unfold w, together.
          replace (Nat.odd (2 * i + 1)) with true by (rewrite Nat.odd_add, Nat.odd_mul; reflexivity). unfold odd_tokens.
          f_equal. rewrite Nat.mul_comm, Nat.div_add_l by lia. simpl. lia. }
        rewrite <- (D (map w (seq 0 (2 * B))) (nth j x 0%nat)).
        - apply means_ext. intros i Hi. destruct (Nat.eq_dec i (2 * B)) as [->|Ne].
          + rewrite app_nth2 by (rewrite map_length, seq_length; lia). rewrite map_length, seq_length, Nat.sub_diag. simpl nth.
            unfold w, together. rewrite Nat.odd_mul. simpl Nat.odd at 1. cbn [andb]. unfold even_tokens.
            rewrite Nat.eqb_refl, orb_true_r. reflexivity.
          + rewrite app_nth1 by (rewrite map_length, seq_length; lia).
            rewrite (nth_indep _ 0%nat (w 0%nat)) by (rewrite map_length, seq_length; lia).
            rewrite map_nth, seq_nth by lia. reflexivity.
        - rewrite map_length, seq_length. reflexivity.
        - intros z Hz. rewrite pairs_of_positions in Hz. apply in_flat_map in Hz. destruct Hz as (i & Hi & Hz).
          apply in_seq in Hi.
          rewrite Even, Odd in Hz by lia. destruct Hz as [<-|[<-|[]]].
          + destruct (i =? j)%nat; [exact Hq|apply In_other; exact A0].
          + apply In_other, Rn. lia.
        - rewrite pairs_of_positions, (latest_weave q j (fun i => w (2 * i)%nat) (fun i => w (2 * i + 1)%nat)).
          + destruct (in_dec Nat.eq_dec j (seq 0 B)) as [|O]; [rewrite Odd; reflexivity|exfalso; apply O, in_seq; lia].
          + intros i Hi. apply in_seq in Hi. rewrite Odd. apply In_other, Rn. lia.
          + intros i Hi. apply in_seq in Hi. rewrite Even by lia. destruct (Nat.eqb_spec i j) as [->|Ne]; [tauto|].
            split; [intros E; exfalso; apply (proj2 (In_other a0 A0)); exact E|contradiction].
          + apply seq_NoDup. }
      intros x x' Hx Hx' Ne. pose proof Hx as Lx. pose proof Hx' as Lx'. apply in_words in Lx, Lx'.
      destruct (words_differ x x' 0%nat) as (j & Hj & Dj); [lia|exact Ne|].
      exists (even_tokens a0 j). split; [apply in_map, in_seq; lia|]. rewrite !Right by (auto; lia). exact Dj.
  Qed.
End Induction.

Section Composition.
  Variables n H m : nat.
  Variable weight : nat -> nat -> nat -> Z.
  Variable value : nat -> nat -> nat -> nat -> Z.
  Variable thresholds : list (Z * Z).
  Variable finish : list nat -> nat.

  (** The layer is right on f, g and the question x = 0. *)
  Definition composes_at_0 : Prop := forall f g, In f (words (seq 0 n) n) -> In g (words (seq 0 n) n) ->
    answer_of_means (2 * n + 1) H m weight value thresholds finish (fun i =>
      nth i (f ++ g ++ [0%nat]) 0%nat) = nth (nth 0 g 0%nat) f 0%nat.

  Theorem composition_of_means : (1 <= n)%nat -> composes_at_0 ->
    (n ^ n <= cells (m * (length thresholds * n)) (m + 2) ^ H)%nat.
  Proof.
    intros Hn D. set (g := fun v : nat => v :: repeat 0%nat (n - 1)).
    set (ys := map (fun v i => nth (i - n) (g v ++ [0%nat]) 0%nat) (seq 0 n)).
    replace (n ^ n)%nat with (length (words (seq 0 n) n)) by (rewrite words_length, seq_length; reflexivity).
    replace (length thresholds * n)%nat with (length thresholds * length ys)%nat
      by (unfold ys; rewrite map_length, seq_length; reflexivity).
    apply (means_message_of nat nat (2 * n + 1) H m weight value thresholds finish (fun f i => nth i f 0%nat) (fun i =>
      i <? n)%nat ys).
    - apply words_nodup, seq_NoDup.
    - assert (Right : forall f v, In f (words (seq 0 n) n) -> (v < n)%nat ->
        answer_of_means (2 * n + 1) H m weight value thresholds finish
          (together (fun i => i <? n)%nat (fun i => nth i f 0%nat) (fun i =>
            nth (i - n) (g v ++ [0%nat]) 0%nat)) = nth v f 0%nat).
      { intros f v Hf Hv. pose proof Hf as Lf. apply in_words in Lf. destruct Lf as [Lf _].
        transitivity (nth (nth 0 (g v) 0%nat) f 0%nat); [|reflexivity]. rewrite <- (D f (g v) Hf).
        - apply means_ext. intros i Hi. unfold together. destruct (Nat.ltb_spec i n).
          + rewrite app_nth1 by lia. reflexivity.
          + rewrite (app_nth2 f) by lia. rewrite Lf. reflexivity.
        - apply in_words. split; [simpl; rewrite repeat_length; lia|]. intros z [<-|Hz]; apply in_seq; [lia|].
          apply repeat_spec in Hz. lia. }
      intros f f' Hf Hf' Ne. pose proof Hf as Lf. pose proof Hf' as Lf'. apply in_words in Lf, Lf'.
      destruct (words_differ f f' 0%nat) as (v & Hv & Dv); [lia|exact Ne|].
      exists (fun i => nth (i - n) (g v ++ [0%nat]) 0%nat). split.
      + unfold ys. apply (in_map (fun v i => nth (i - n) (g v ++ [0%nat]) 0%nat)), in_seq. lia.
      + rewrite !Right by (auto; lia). exact Dv.
  Qed.
End Composition.

(** A layer that meets the hypotheses of composition for n = 1: its only answer is 0. *)
Example a_mean_composes : composes_at_0 1 1 1 (fun _ _ _ => 1) (fun _ _ _ _ => 0) [(1, 1)] (fun _ => 0%nat).
Proof. intros f g Hf Hg. simpl in Hf, Hg. destruct Hf as [<-|[]], Hg as [<-|[]]. reflexivity. Qed.

(** Induction over two tokens of two symbols: the answer 1 is the mean of the odd position, which is at least 1. *)
Example a_mean_does_induction : does_induction 1 2 0 1 1 (fun _ i _ => if (i =? 1)%nat then 1 else 0)
  (fun _ _ _ t => Z.of_nat t) [(1, 1)] (fun outputs => hd 0%nat outputs).
Proof.
  intros [|a [|b [|c w]]] r L R E; try discriminate. simpl in E. destruct (a =? 0)%nat; [|discriminate]. injection E as <-.
  assert (Hb : (b < 2)%nat) by (apply R; right; left; reflexivity). destruct b as [|[|b]]; [reflexivity|reflexivity|lia].
Qed.

Example means_meet : (1 ^ 1 <= cells (1 * (1 * 1)) (1 + 2) ^ 1)%nat /\ ((2 - 1) ^ 1 <= cells (1 * (1 * 1)) (1 + 2) ^ 1)%nat /\
  shatters 1 (fun w => In w [[true]; [false]]) /\ (1 <= cells (1 * (1 * 0)) (1 + 2) ^ 1)%nat.
Proof.
  split; [|split; [|split]].
  - apply (composition_of_means 1 1 1 _ _ [(1, 1)] _ ltac:(lia) a_mean_composes).
  - apply (induction_one_layer 1 2 0 1 1 _ _ [(1, 1)] _ ltac:(lia) ltac:(lia) a_mean_does_induction).
  - apply (sauer_shelah 1 1); [repeat constructor; simpl; intuition discriminate| |simpl; lia].
    intros w [<-|[<-|[]]]; reflexivity.
  - apply (means_message nat nat 1 1 1 (fun _ _ _ => 1) (fun _ _ _ _ => 0) [(1, 1)] (fun _ => 0%nat) (fun _ => true) []
      [fun i => i]); [repeat constructor; intros []|].
    intros x x' [<-|[]] [<-|[]] Ne. contradiction.
Qed.
