(** Index lookup by one attention layer, for every N, in whole numbers.

    In words. A model of one layer and one head reads N symbols of m bits and then a position p. Position i has the score
    -eta (i - p)^2, cut off at the end of the grid. The value has a coordinate for each bit of the symbol. If the table of
    exponentials falls fast enough, each bit is read by a threshold at 1/2, for every N and every input.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 1 and appendix C.2; the code of positions (x, x^2) is our own.
    In Python: [index-lookup-attention] with the code `parabola`.

    The hypotheses, for a real model. All numbers are in steps of 1/L, also eta: the network in Python has eta = 2, which is 2 L
    steps. [expo] is the rounded exponential: L at 0, and at the score of distance d at most L / 7^d. For e^x rounded down and
    eta = 2 this holds, since e^(-2 d^2) 7^d < 1. A test of the package looks at such tables. Hard attention, with L at 0 and 0
    elsewhere, is the other example. Weights are rounded down, and L >= 5. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words Protocols OneLayer OneLayerBounds.
Import ListNotations.
Open Scope Z_scope.

Inductive token := Symbol (bit : nat -> bool) | Question (p : nat).

Section Parabola.
  Variables (N m : nat) (L eta : Z) (expo : Z -> Z).
  Hypothesis steps : 5 <= L.
  Hypothesis eta_positive : 0 <= eta.

  Definition distance_score (d : Z) : Z := Z.max (- (L * L)) (- (eta * (d * d))).

  Hypothesis expo_bounded : forall x, 0 <= expo x <= L.
  Hypothesis expo_zero : expo 0 = L.
  Hypothesis expo_falls : forall d, (1 <= d)%nat -> expo (distance_score (Z.of_nat d)) * 7 ^ Z.of_nat d <= L.

  Definition at_distance (d : nat) : Z := expo (distance_score (Z.of_nat d)).

  Lemma total_app : forall l r g, total (l ++ r) g = total l g + total r g.
  Proof. induction l as [|i l IH]; intros r g; simpl; [reflexivity|]. rewrite IH. lia. Qed.

  (** A geometric sum: six times the exponentials at the distances 1 .. k add up to at most L. *)
  Lemma geometric : forall k, 6 * total (seq 1 k) at_distance <= L.
  Proof.
    assert (G : forall k, 6 * 7 ^ Z.of_nat k * total (seq 1 k) at_distance <= (7 ^ Z.of_nat k - 1) * L).
    { induction k as [|k IH]; [simpl; lia|].
      rewrite seq_S, total_app. cbn [total fold_right]. rewrite Z.add_0_r.
      pose proof (expo_falls (1 + k) ltac:(lia)) as F. fold (at_distance (1 + k)) in F.
      replace (Z.of_nat (1 + k)) with (Z.of_nat (S k)) in F by lia.
      rewrite Nat2Z.inj_succ, Z.pow_succ_r in * by lia. nia. }
    intros k. specialize (G k). assert (0 < 7 ^ Z.of_nat k) by (apply Z.pow_pos_nonneg; lia).
    assert (7 ^ Z.of_nat k * (6 * total (seq 1 k) at_distance) <= 7 ^ Z.of_nat k * L) by nia. nia.
  Qed.

  Lemma left_of : forall k s, total (seq s k) (fun j => at_distance (s + k - j)) = total (seq 1 k) at_distance.
  Proof.
    induction k as [|k IH]; intros s; [reflexivity|].
    rewrite (seq_S k 1), total_app. cbn [total fold_right]. rewrite Z.add_0_r, <- (IH (S s)).
    change (total (seq s (S k)) (fun j => at_distance (s + S k - j)))
      with (at_distance (s + S k - s) + total (seq (S s) k) (fun j => at_distance (s + S k - j))).
    rewrite (total_ext (seq (S s) k) (fun j => at_distance (s + S k - j)) (fun j => at_distance (S s + k - j)))
      by (intros i _; apply (f_equal at_distance); lia).
    replace (s + S k - s)%nat with (1 + k)%nat by lia. lia.
  Qed.

  Lemma right_of : forall k p, total (seq (p + 1) k) (fun j => at_distance (j - p)) = total (seq 1 k) at_distance.
  Proof.
    induction k as [|k IH]; intros p; [reflexivity|].
    rewrite !seq_S, !total_app, IH. cbn [total fold_right]. rewrite !Z.add_0_r. f_equal. apply (f_equal at_distance). lia.
  Qed.

  Definition parabola_layer : grid_layer token (list bool) 1 m (S N) 1 L.
  Proof.
    refine {| ask := fun t => [match t with Question p => Nat.min p N | Symbol _ => 0%nat end];
              OneLayerBounds.score := fun qs _ i _ => distance_score (Z.of_nat i - Z.of_nat (hd 0%nat qs));
              OneLayerBounds.value := fun _ _ j _ t => match t with Symbol bit => if bit j then L else 0 | Question _ => 0 end;
              OneLayerBounds.expo := expo;
              OneLayerBounds.finish := fun _ sums => map (fun s => L * L <? 2 * s) sums |}.
    - intros t. split; [reflexivity|]. intros v [<-|[]]. destruct t; lia.
    - intros. unfold distance_score. split; [lia|]. assert (0 <= L * L) by nia.
      set (d := Z.of_nat i - Z.of_nat (hd 0%nat qs)). assert (0 <= eta * (d * d)) by nia. lia.
    - intros. destruct t as [bit|]; [destruct (bit j)|]; nia.
    - exact expo_bounded.
  Defined.

  (** The input: N symbols and the question p. *)
  Definition input (symbols : nat -> nat -> bool) (p i : nat) : token :=
    if (i <? N)%nat then Symbol (symbols i) else Question p.

  Variables (symbols : nat -> nat -> bool) (p : nat).
  Hypothesis position_fits : (p <= N)%nat.
  Let w := input symbols p.
  Let e (i : nat) : Z := expo (distance_score (Z.of_nat i - Z.of_nat p)).

  Lemma e_is : forall i, e i = at_distance (if (i <? p)%nat then p - i else i - p).
  Proof.
    intros i. unfold e, at_distance. f_equal. unfold distance_score. f_equal. f_equal. f_equal.
    destruct (Nat.ltb_spec i p); rewrite Nat2Z.inj_sub by lia; ring.
  Qed.

  Lemma positions_split : seq 0 (S N) = seq 0 p ++ [p] ++ seq (p + 1) (N - p).
  Proof.
    replace (S N) with (p + (1 + (N - p)))%nat by lia. rewrite seq_app, seq_app. simpl. do 3 f_equal.
  Qed.

  (** All other exponentials add up to at most L / 3. *)
  Lemma others_small : 3 * (total (seq 0 p) e + total (seq (p + 1) (N - p)) e) <= L.
  Proof.
    rewrite (total_ext (seq 0 p) e (fun j => at_distance (0 + p - j))).
    2: { intros i Hi. apply in_seq in Hi. rewrite e_is. destruct (Nat.ltb_spec i p); [f_equal; lia|lia]. }
    rewrite (total_ext (seq (p + 1) (N - p)) e (fun j => at_distance (j - p))).
    2: { intros i Hi. apply in_seq in Hi. rewrite e_is. destruct (Nat.ltb_spec i p); [lia|reflexivity]. }
    rewrite left_of, right_of. pose proof (geometric p). pose proof (geometric (N - p)). lia.
  Qed.

  Let Zn : Z := total (seq 0 (S N)) e.
  Let weight_at (i : nat) : Z := floor_weight L (e i) Zn.

  Lemma e_nonnegative : forall i, 0 <= e i.
  Proof. intros. apply expo_bounded. Qed.

  Lemma e_at_p : e p = L.
  Proof. unfold e. rewrite Z.sub_diag. unfold distance_score. rewrite Z.mul_0_r, Z.max_r by nia. exact expo_zero. Qed.

  Lemma Zn_bounds : L <= Zn /\ 3 * Zn <= 4 * L.
  Proof.
    unfold Zn. rewrite positions_split, !total_app. cbn [total fold_right]. rewrite e_at_p.
    pose proof others_small. pose proof (total_nonneg (seq 0 p) e e_nonnegative).
    pose proof (total_nonneg (seq (p + 1) (N - p)) e e_nonnegative). unfold total in *. lia.
  Qed.

  Lemma weight_nonnegative : forall i, 0 <= weight_at i.
  Proof. intros. unfold weight_at, floor_weight. pose proof Zn_bounds. pose proof (e_nonnegative i). apply Z.div_pos; nia. Qed.

  (** The weight of the queried position is above L / 2, and all others together are below it. *)
  Lemma weight_at_p : L < 2 * weight_at p.
  Proof.
    unfold weight_at, floor_weight. rewrite e_at_p. pose proof Zn_bounds as [Lo Hi].
    pose proof (Z.mul_succ_div_gt (L * L) Zn ltac:(lia)) as D. nia.
  Qed.

  Lemma other_weights : 2 * (total (seq 0 p) weight_at + total (seq (p + 1) (N - p)) weight_at) < L.
  Proof.
    pose proof (floor_weights (seq 0 (S N)) L e Zn ltac:(lia) e_nonnegative eq_refl) as T.
    change (total (seq 0 (S N)) weight_at <= L) in T.
    rewrite positions_split, !total_app in T. cbn [total fold_right] in T. pose proof weight_at_p. unfold total in *. lia.
  Qed.

  Lemma bit_read : forall j (v : nat -> Z), (forall i, i <> p -> 0 <= v i <= L) -> (v p = if symbols p j then L else 0) ->
    (L * L <? 2 * total (seq 0 (S N)) (fun i => weight_at i * v i)) = symbols p j.
  Proof.
    intros j v Hv Hp. rewrite positions_split, !total_app. cbn [total fold_right]. rewrite Hp.
    assert (B : forall l, ~ In p l -> 0 <= total l (fun i => weight_at i * v i) <= total l weight_at * L).
    { induction l as [|i l IH]; intros Hl; simpl; [lia|].
      assert (i <> p) as Ni by (intros ->; apply Hl; left; reflexivity).
      specialize (Hv i Ni). pose proof (weight_nonnegative i). specialize (IH (fun H => Hl (or_intror H))).
      unfold total in *. nia. }
    pose proof (B (seq 0 p) ltac:(rewrite in_seq; lia)) as B1.
    pose proof (B (seq (p + 1) (N - p)) ltac:(rewrite in_seq; lia)) as B2.
    pose proof weight_at_p. pose proof other_weights. unfold total in *.
    destruct (symbols p j); [apply Z.ltb_lt|apply Z.ltb_ge]; nia.
  Qed.

  (** The greatest score is that of the queried position. *)
  Lemma greatest_score : greatest (- (L * L)) (seq 0 (S N)) (fun i => distance_score (Z.of_nat i - Z.of_nat p)) = 0.
  Proof.
    assert (U : forall l, greatest (- (L * L)) l (fun i => distance_score (Z.of_nat i - Z.of_nat p)) <= 0).
    { induction l as [|i l IH]; simpl; [nia|]. apply Z.max_lub; [|exact IH]. unfold distance_score.
      set (d := Z.of_nat i - Z.of_nat p). assert (0 <= eta * (d * d)) by nia. nia. }
    assert (Lo : forall l, In p l -> 0 <= greatest (- (L * L)) l (fun i => distance_score (Z.of_nat i - Z.of_nat p))).
    { induction l as [|i l IH]; intros Hin; [contradiction|]. destruct Hin as [->|Hi]; simpl.
      - rewrite Z.sub_diag. unfold distance_score. nia.
      - specialize (IH Hi). simpl in IH. lia. }
    apply Z.le_antisymm; [apply U|apply Lo, in_seq; lia].
  Qed.

  (** The answer: the bits of the symbol at p. *)
  Theorem parabola_index_lookup : (p < N)%nat ->
    answer token (list bool) (S N) 1 m (S N) 1 L false parabola_layer w = map (symbols p) (seq 0 m).
  Proof.
    intros among_the_symbols. unfold answer, forward.
    assert (Hq : ask parabola_layer (w (S N - 1)%nat) = [p]).
    { unfold w, input. replace (S N - 1)%nat with N by lia. rewrite Nat.ltb_irrefl. simpl. f_equal. lia. }
    rewrite Hq. simpl finish.
    assert (Hm : forall h, maximum token (S N) (L * L) (OneLayerBounds.score parabola_layer) [p] w h = 0).
    { intros h. apply greatest_score. }
    assert (Ee : forall h i, exponentials token (OneLayerBounds.score parabola_layer) (OneLayerBounds.expo parabola_layer)
      [p] w h
      (maximum token (S N) (L * L) (OneLayerBounds.score parabola_layer) [p] w h) i = e i).
    { intros h i. unfold exponentials. rewrite Hm, Z.sub_0_r. reflexivity. }
    assert (En : forall h, normaliser token (S N) (L * L) (OneLayerBounds.score parabola_layer) (OneLayerBounds.expo
      parabola_layer) [p] w h = Zn).
    { intros h. unfold normaliser, Zn. apply total_ext. intros i _. apply Ee. }
    unfold coordinates. cbn [seq list_prod]. rewrite app_nil_r, !map_map. apply map_ext_in. intros j Hj.
    unfold value_sum. cbn [fst snd].
    rewrite (total_ext _ _ (fun i => weight_at i * OneLayerBounds.value parabola_layer [p] 0%nat j i (w i))).
    - apply bit_read.
      + intros i _. simpl. destruct (w i) as [bit|]; [destruct (bit j)|]; lia.
      + simpl. unfold w, input. destruct (Nat.ltb_spec p N); [reflexivity|lia].
    - intros i _. rewrite Ee, En. reflexivity.
  Qed.
End Parabola.

(** Hard attention meets the hypotheses: L at 0 and 0 elsewhere, with eta = 1 and L = 8. *)
Example hard_attention : let expo := fun x => if x =? 0 then 8 else 0 in
  (forall x, 0 <= expo x <= 8) /\ expo 0 = 8 /\
  forall d, (1 <= d)%nat -> expo (distance_score 8 1 (Z.of_nat d)) * 7 ^ Z.of_nat d <= 8.
Proof.
  cbv zeta. repeat split; try (destruct (x =? 0); lia).
  intros d Hd. unfold distance_score. destruct (Z.eqb_spec (Z.max (- (8 * 8)) (- (1 * (Z.of_nat d * Z.of_nat d)))) 0);
    [nia|lia].
Qed.

Example hard_attention_looks_up : let expo := fun x => if x =? 0 then 8 else 0 in
  exists layer, answer token (list bool) 3 1 1 3 1 8 false layer (input 2 (fun i _ => (i =? 1)%nat) 1) = [true].
Proof.
  cbv zeta. destruct hard_attention as (B & Z0 & F).
  exists (parabola_layer 2 1 8 1 (fun x => if x =? 0 then 8 else 0) ltac:(lia) ltac:(lia) B Z0).
  apply (parabola_index_lookup 2 1 8 1 (fun x => if x =? 0 then 8 else 0) ltac:(lia) ltac:(lia) B Z0 F
    (fun i _ => (i =? 1)%nat) 1); lia.
Qed.
