(** Two attention layers peel leaves, and so decide at every n whether edges form a tree.

    In words. The network of two layers reads the prompt of m edges on m + 1 <= n vertices, and writes its thought token by
    token. Each token is the next token of [Peeling] ([peeling_step]). So after at most 2 (m + 1) - 1 tokens it writes YES if
    the edges form a tree, and NO if not ([peeling_right]). This holds for every n >= 2 and every list of m >= 1 edges.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7. In Python: [is-tree-peeling], for grids that round down.

    The hypotheses, for a real model: L >= T^2 and L >= 2 eta (T + 1), where T = 5 n - 3 is the number of tokens read. The table
    of exponentials is L at 0, and 0 from a distance of eta on. Rounding down, eta = floor(ln 2 L^2) + 1 gives this.

    What differs from the network in Python:
    - Scores and values of heads are cut off at the end of the grid, and quotients are rounded down. Other numbers are exact:
      the proof does not cut off losing logits, or inner sums of hidden units that are 0.
    - Layers are formulas of the numbers they use, not matrices of 28 coordinates.
    - Neither rounding to the nearest, where all weights of a head are rounded once, nor floating point is covered. *)

From Coq Require Import List Arith Lia ZArith Bool.
From Seqsep Require Import Words Protocols OneLayer OneLayerBounds IsTree SimpleGraphs Peeling.
Import ListNotations.
Open Scope Z_scope.

Definition relu (z : Z) : Z := Z.max 0 z.
Definition square (z : Z) : Z := z * z.
Definition unit_if (b : bool) : Z := if b then 1 else 0.

(** The embedding of a token: its vertex, and three flags. *)
Definition vertex (c : token) : Z := match c with Vertex v | Pointer v => Z.of_nat v | _ => 0 end.
Definition is_number (c : token) : Z := match c with Vertex _ => 1 | _ => 0 end.
Definition is_pointer (c : token) : Z := match c with Pointer _ => 1 | _ => 0 end.
Definition bos (c : token) : Z := match c with Bos => 1 | _ => 0 end.
Definition vertices_below (n : nat) (c : token) : Prop := 0 <= vertex c <= Z.of_nat n.

Definition token_eq : forall a b : token, {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.

Section Heads.
  Variables (L eta : Z) (expo : Z -> Z).

  Definition on_grid (z : Z) : Z := Z.max (- (L * L)) (Z.min (L * L) (L * z)).

  (** One head at position t, in steps of 1/L: the sum of weights times values, rounded down. It is the head of [OneLayer]. *)
  Definition head (t : nat) (score value : nat -> Z) : Z :=
    value_sum nat (S t) (L * L) (fun _ _ i _ => on_grid (score i)) (fun _ _ _ i _ => on_grid (value i)) expo (floor_weight L)
      [] (fun i => i) (0%nat, 0%nat) / L.

  Hypothesis L_positive : 1 <= L.
  Hypothesis eta_positive : 0 <= eta.
  Hypothesis expo_zero : expo 0 = L.
  Hypothesis expo_far : forall d, d <= - (L * eta) -> expo d = 0.

  Lemma on_grid_in : forall z, - L <= z <= L -> on_grid z = L * z.
  Proof. intros. unfold on_grid. nia. Qed.

  Lemma total_filter : forall (p : nat -> bool) l g g', (forall i, In i l -> g i = if p i then g' i else 0) ->
    total l g = total (filter p l) g'.
  Proof.
    induction l as [|i l IH]; intros g g' E; [reflexivity|]. cbn [filter total fold_right].
    rewrite (E i (or_introl eq_refl)). specialize (IH g g' (fun j Hj => E j (or_intror Hj))). unfold total in *. rewrite IH.
    destruct (p i); cbn [fold_right]; lia.
  Qed.

  Lemma total_scale : forall c l g, total l (fun i => c * g i) = c * total l g.
  Proof. induction l as [|i l IH]; intros g; cbn [total fold_right]; [lia|]. unfold total in *. rewrite IH. lia. Qed.

  Lemma total_constant : forall c l, total l (fun _ => c) = Z.of_nat (length l) * c.
  Proof. induction l as [|i l IH]; cbn [total fold_right length]; [lia|]. unfold total in *. rewrite IH. lia. Qed.

  (** If some scores tie at the top and all others are lower by eta, the M that tie have the weight floor(L/M) each. *)
  Lemma head_of_ties : forall t score value top (ties : nat -> bool) k, (k <= t)%nat -> ties k = true ->
    (forall i, (i <= t)%nat -> if ties i then score i = top else score i <= top - eta) ->
    (forall i, (i <= t)%nat -> - L <= value i <= L) -> eta - L <= top <= L ->
    let M := Z.of_nat (length (filter ties (seq 0 (S t)))) in
    head t score value = L / M * total (filter ties (seq 0 (S t))) value.
  Proof.
    intros t score value top ties k Hk Tk Sc Va Top M. unfold head, value_sum. cbn [fst snd].
    set (l := seq 0 (S t)) in *.
    assert (In_l : forall i, In i l <-> (i <= t)%nat) by (intros i; unfold l; rewrite in_seq; lia).
    assert (G : forall i, In i l -> if ties i then on_grid (score i) = L * top else on_grid (score i) <= L * top - L * eta).
    { intros i Hi. apply In_l in Hi. specialize (Sc i Hi). unfold on_grid. destruct (ties i); nia. }
    assert (Mx : maximum nat (S t) (L * L) (fun _ _ i _ => on_grid (score i)) [] (fun i => i) 0 = L * top).
    { unfold maximum. fold l.
      assert (U : forall l', incl l' l -> greatest (- (L * L)) l' (fun i => on_grid (score i)) <= L * top).
      { induction l' as [|i l' IH]; intros I; cbn [greatest fold_right]; [nia|].
        specialize (IH (fun j Hj => I j (or_intror Hj))). specialize (G i (I i (or_introl eq_refl))).
        unfold greatest in IH. destruct (ties i); nia. }
      assert (Lo : forall l', incl l' l -> In k l' -> L * top <= greatest (- (L * L)) l' (fun i => on_grid (score i))).
      { induction l' as [|i l' IH]; intros I Hin; [destruct Hin|]. cbn [greatest fold_right].
        destruct Hin as [->|Hin].
        - specialize (G k (I k (or_introl eq_refl))). rewrite Tk in G. lia.
        - specialize (IH (fun j Hj => I j (or_intror Hj)) Hin). unfold greatest in IH. lia. }
      apply Z.le_antisymm; [apply U, incl_refl|apply Lo; [apply incl_refl|apply In_l; exact Hk]]. }
    rewrite Mx.
    assert (Ex : forall i, In i l ->
      exponentials nat (fun _ _ i _ => on_grid (score i)) expo [] (fun i => i) 0 (L * top) i = if ties i then L else 0).
    { intros i Hi. unfold exponentials. specialize (G i Hi). destruct (ties i).
      - rewrite G, Z.sub_diag. exact expo_zero.
      - apply expo_far. lia. }
    assert (Nm : normaliser nat (S t) (L * L) (fun _ _ i _ => on_grid (score i)) expo [] (fun i => i) 0 = M * L).
    { unfold normaliser. rewrite Mx. fold l. rewrite (total_filter ties l _ (fun _ => L)) by exact Ex.
      rewrite total_constant. reflexivity. }
    rewrite Nm. fold l.
    assert (M1 : 1 <= M).
    { unfold M. assert (In k (filter ties l)) as Hin by (apply filter_In; split; [apply In_l; exact Hk|exact Tk]).
      destruct (filter ties l); [destruct Hin|cbn [length]; lia]. }
    rewrite (total_filter ties l _ (fun i => L * (L / M * value i))).
    - rewrite total_scale, Z.mul_comm, Z.div_mul by lia. apply total_scale.
    - intros i Hi. rewrite (Ex i Hi). apply In_l in Hi. rewrite (on_grid_in (value i)) by auto.
      unfold floor_weight. destruct (ties i).
      + rewrite Z.div_mul_cancel_r by lia. ring.
      + rewrite Z.mul_0_r, Z.div_0_l by nia. reflexivity.
  Qed.

  (** If one score is above all others by eta, the head copies the value there. *)
  Lemma head_of_one : forall t score value k, (k <= t)%nat ->
    (forall i, (i <= t)%nat -> i <> k -> score i <= score k - eta) ->
    (forall i, (i <= t)%nat -> - L <= value i <= L) -> eta - L <= score k <= L -> head t score value / L = value k.
  Proof.
    intros t score value k Hk Sc Va Top.
    assert (F : filter (Nat.eqb k) (seq 0 (S t)) = [k]).
    { assert (G : forall m s, filter (Nat.eqb k) (seq s m) = if ((s <=? k) && (k <? s + m))%nat then [k] else []).
      { induction m as [|m IH]; intros s; cbn [seq filter].
        - destruct (Nat.leb_spec s k), (Nat.ltb_spec k (s + 0)); cbn [andb]; try lia; reflexivity.
        - rewrite IH. destruct (Nat.eqb_spec k s) as [->|Ne].
          + rewrite Nat.leb_refl. destruct (Nat.leb_spec (S s) s), (Nat.ltb_spec s (s + S m)); cbn [andb]; lia || reflexivity.
          + destruct (Nat.leb_spec (S s) k), (Nat.leb_spec s k), (Nat.ltb_spec k (S s + m)), (Nat.ltb_spec k (s + S m));
              cbn [andb]; lia || reflexivity. }
      rewrite G. destruct (Nat.leb_spec 0 k), (Nat.ltb_spec k (0 + S t)); cbn [andb]; lia || reflexivity. }
    rewrite (head_of_ties t score value (score k) (Nat.eqb k) k); auto using Nat.eqb_refl.
    - rewrite F. cbn [length total fold_right]. rewrite Z.div_1_r, Z.add_0_r, Z.mul_comm, Z.div_mul by lia. reflexivity.
    - intros i Hi. destruct (Nat.eqb_spec k i) as [->|Ne]; [reflexivity|apply Sc; auto].
  Qed.
End Heads.

Section Network.
  Variables (n : nat) (L eta : Z) (expo : Z -> Z).

  Definition nodes : Z := Z.of_nat n.
  Definition tokens_of_a_run : Z := 5 * nodes - 3.
  Notation T := tokens_of_a_run.

  (** The tokens read so far; a head at position t looks at the positions up to t only. *)
  Variable w : nat -> token.
  Definition label (i : nat) : Z := vertex (w i).
  Definition time (i : nat) : Z := Z.of_nat i.
  Definition other_token (i : nat) : Z := 1 - is_pointer (w i) - bos (w i).

  (** Layer 1: four heads of scale 2 eta. *)
  Definition look (t : nat) (score value : nat -> Z) : Z := head L expo t (fun i => 2 * eta * score i) value / L.
  Definition back (o : Z) (t i : nat) : Z := - square (time i - time t + o).
  Definition before (t : nat) : Z := look t (back 1 t) (fun i => label i + bos (w i)).
  Definition before_square (t : nat) : Z := look t (back 1 t) (fun i => square (label i)).
  Definition two_before (t : nat) : Z := look t (back 2 t) label.
  Definition two_before_square (t : nat) : Z := look t (back 2 t) (fun i => square (label i)).
  Definition last_pointer (i : nat) : Z := time i - T * other_token i.
  Definition first_pointer (i : nat) : Z := - time i - T * bos (w i) - (T + 1) * other_token i.
  Definition last (t : nat) : Z := look t last_pointer label.
  Definition has (t : nat) : Z := look t last_pointer (fun i => is_pointer (w i)).
  Definition start (t : nat) : Z := look t first_pointer (fun i => time i + T * bos (w i)).

  (** The hidden units of layer 1 sort the edge that is stored at a place. *)
  Definition of_prompt (t : nat) : Z := - before t.
  Definition climb (t : nat) : Z := is_number (w t) + has t - 2.
  Definition larger (a b closed : Z) : Z := relu (a + closed) + relu (b - a + closed).
  Definition smaller (a b closed : Z) : Z := relu (b + closed) - relu (b - a + closed).
  Definition high (t : nat) : Z :=
    larger (label t) (two_before t) (nodes * of_prompt t) + larger (label t) (before t) (nodes * climb t).
  Definition low (t : nat) : Z :=
    smaller (label t) (two_before t) (nodes * of_prompt t) + smaller (label t) (before t) (nodes * climb t).
  Definition high_square (t : nat) : Z :=
    larger (square (label t)) (two_before_square t) (square nodes * of_prompt t)
    + larger (square (label t)) (before_square t) (square nodes * climb t).
  Definition low_square (t : nat) : Z :=
    smaller (square (label t)) (two_before_square t) (square nodes * of_prompt t)
    + smaller (square (label t)) (before_square t) (square nodes * climb t).
  Definition signed_high (t : nat) : Z :=
    larger (label t) (two_before t) (nodes * of_prompt t) - larger (label t) (before t) (nodes * climb t).
  Definition signed_low (t : nat) : Z :=
    smaller (label t) (two_before t) (nodes * of_prompt t) - smaller (label t) (before t) (nodes * climb t).
  Definition sign (t : nat) : Z := relu (is_number (w t) - before t) - relu (is_number (w t) + has t - 1).

  (** Layer 2: two heads of scale eta that count. The numbers are in steps of 1/L. *)
  Definition matches (own own_square : nat -> Z) (t i : nat) : Z :=
    - eta * (own_square i - 2 * label t * own i + square (label t) * (1 - bos (w i))).
  Definition at_high (t : nat) (value : nat -> Z) : Z := head L expo t (matches high high_square t) value.
  Definition at_low (t : nat) (value : nat -> Z) : Z := head L expo t (matches low low_square t) value.
  Definition total_of (t : nat) : Z := at_high t signed_low + at_low t signed_high.
  Definition high_degree (t : nat) : Z := at_high t sign.
  Definition high_unit (t : nat) : Z := at_high t (fun i => bos (w i)).
  Definition low_degree (t : nat) : Z := at_low t sign.
  Definition low_unit (t : nat) : Z := at_low t (fun i => bos (w i)).
  Definition not_leaf (t : nat) : Z :=
    T * high_degree t - T * relu (high_degree t - low_degree t) + T * relu (high_degree t - high_unit t)
    + T * relu (low_degree t - low_unit t) + relu (L - T * (high_degree t + low_degree t)).

  (** The read-out, in steps of 1/L, and the token with the greatest logit. *)
  Definition slope : Z := square (nodes + 1).
  Definition depth : Z := slope + nodes * T.
  Definition silence : Z := 4 * square nodes + depth.
  Definition logit (t : nat) (c : token) : Z :=
    let no := L * (slope + 1 - depth + slope * (3 * last t - start t - 2)) in
    match c with
    | Vertex i => 2 * Z.of_nat i * total_of t - square (Z.of_nat i) * (high_degree t + low_degree t)
                  - silence * not_leaf t - silence * L * (1 - has t)
    | Pointer i => L * (2 * Z.of_nat i * (last t + 1) - square (Z.of_nat i) - depth)
    | No => no
    | Yes => no + L * (1 + 3 * time t - 4 * (start t - 1) - 3 * last t)
    | _ => - silence * L
    end.
  Definition vocabulary : list token :=
    Bos :: map Vertex (seq 1 n) ++ [Between; No; Yes] ++ map Pointer (seq 1 n).
  Definition next_token (t : nat) : token :=
    fold_right (fun c best => if logit t best <? logit t c then c else best) Bos vocabulary.

  Lemma next_token_is : forall t c, In c vocabulary -> (forall d, d <> c -> logit t d < logit t c \/ ~ In d vocabulary) ->
    next_token t = c.
  Proof.
    intros t c Hc Win. unfold next_token.
    assert (W : forall d, In d vocabulary -> d <> c -> logit t d < logit t c).
    { intros d Hd Ne. destruct (Win d Ne); [assumption|contradiction]. }
    assert (G : forall l, incl l vocabulary -> let best := fold_right (fun c best => if logit t best <? logit t c then c else
      best) Bos l
      in In best vocabulary /\ (In c l -> best = c)).
    { induction l as [|d l IH]; intros I; cbn [fold_right].
      - split; [left; reflexivity|intros []].
      - destruct (IH (fun e He => I e (or_intror He))) as [Ib Eb].
        set (best := fold_right _ Bos l) in *. destruct (Z.ltb_spec (logit t best) (logit t d)) as [Lt|Ge].
        + split; [apply I; left; reflexivity|]. intros [->|Hin]; [reflexivity|]. rewrite (Eb Hin) in Lt.
          destruct (token_eq d c) as [->|Ne]; [reflexivity|]. specialize (W d (I d (or_introl eq_refl)) Ne). lia.
        + split; [exact Ib|]. intros [->|Hin]; [|apply Eb; exact Hin].
          destruct (token_eq best c) as [E|Ne]; [exact E|]. specialize (W best Ib Ne). lia. }
    apply G; [apply incl_refl|exact Hc].
  Qed.

  Hypothesis two_vertices : (2 <= n)%nat.
  Hypothesis eta_positive : 1 <= eta.
  Hypothesis fine_grid : square T <= L.
  Hypothesis scores_fit : 2 * eta * (T + 1) <= L.
  Hypothesis expo_zero : expo 0 = L.
  Hypothesis expo_far : forall d, d <= - (L * eta) -> expo d = 0.

  (** What is read begins with [BOS], has no other [BOS], and vertices up to n; it is not too long. *)
  Definition readable (t : nat) : Prop :=
    w 0%nat = Bos /\ (forall i, (i <= t)%nat -> i <> 0%nat -> bos (w i) = 0) /\
    (forall i, (i <= t)%nat -> 0 <= label i <= nodes) /\ time t < T.

  Lemma sizes : 2 <= nodes /\ 7 <= T /\ T = 5 * nodes - 3 /\ T * T <= L.
  Proof. unfold T, nodes, square in *. unfold square, T, nodes in fine_grid. lia. Qed.

  Lemma look_at : forall t score value k, (k <= t)%nat -> (forall i, (i <= t)%nat -> i <> k -> score i <= score k - 1) ->
    (forall i, (i <= t)%nat -> - (T * T) <= value i <= T * T) -> - T <= score k <= T -> look t score value = value k.
  Proof.
    intros t score value k Hk Sc Va Top. pose proof sizes as (_ & T7 & _ & TL). unfold look.
    apply (head_of_one L eta); auto; try nia.
    - intros i Hi Ne. specialize (Sc i Hi Ne). nia.
    - intros i Hi. specialize (Va i Hi). lia.
  Qed.

  Lemma one_back : forall t, readable t ->
    before t = (match t with O => 1 | S k => label k + bos (w k) end) /\
    before_square t = (match t with O => 0 | S k => square (label k) end).
  Proof.
    intros t (B0 & Bi & Lb & Lt). pose proof sizes as (N2 & T7 & TE & TL). unfold before, before_square, back, time, square.
    assert (V : forall i, (i <= t)%nat -> 0 <= bos (w i) <= 1) by (intros i _; unfold bos; destruct (w i); lia).
    destruct t as [|k].
    - rewrite !(look_at 0 _ _ 0); try (intros; lia); try (intros i Hi; specialize (Lb i Hi); specialize (V i Hi); nia).
      unfold label. rewrite B0. split; reflexivity.
    - assert (Sc : forall i, (i <= S k)%nat -> i <> k -> - ((Z.of_nat i - Z.of_nat (S k) + 1) * (Z.of_nat i - Z.of_nat (S k) +
        1))
        <= - ((Z.of_nat k - Z.of_nat (S k) + 1) * (Z.of_nat k - Z.of_nat (S k) + 1)) - 1).
      { intros i Hi Ne. set (d := Z.of_nat i - Z.of_nat (S k) + 1). assert (d <> 0) by lia.
        replace (Z.of_nat k - Z.of_nat (S k) + 1) with 0 by lia. nia. }
      assert (At : - T <= - ((Z.of_nat k - Z.of_nat (S k) + 1) * (Z.of_nat k - Z.of_nat (S k) + 1)) <= T).
      { replace (Z.of_nat k - Z.of_nat (S k) + 1) with 0 by lia. lia. }
      rewrite !(look_at (S k) _ _ k); auto; intros i Hi; specialize (Lb i Hi); specialize (V i Hi); nia.
  Qed.

  Lemma two_back : forall t, readable t ->
    two_before t = (match t with S (S k) => label k | _ => 0 end) /\
    two_before_square t = (match t with S (S k) => square (label k) | _ => 0 end).
  Proof.
    intros t (B0 & Bi & Lb & Lt). pose proof sizes as (N2 & T7 & TE & TL).
    unfold two_before, two_before_square, back, time, square.
    assert (Z0 : label 0 = 0) by (unfold label; rewrite B0; reflexivity).
    destruct t as [|[|k]].
    - rewrite !(look_at 0 _ _ 0); try (intros; lia); try (intros i Hi; specialize (Lb i Hi); nia).
    - rewrite !(look_at 1 _ _ 0); try lia; try (intros i Hi; specialize (Lb i Hi); nia);
        try (intros i Hi Ne; replace i with 1%nat by lia; lia).
    - assert (Sc : forall i, (i <= S (S k))%nat -> i <> k -> - ((Z.of_nat i - Z.of_nat (S (S k)) + 2) * (Z.of_nat i - Z.of_nat
        (S (S k)) + 2))
        <= - ((Z.of_nat k - Z.of_nat (S (S k)) + 2) * (Z.of_nat k - Z.of_nat (S (S k)) + 2)) - 1).
      { intros i Hi Ne. set (d := Z.of_nat i - Z.of_nat (S (S k)) + 2). assert (d <> 0) by lia.
        replace (Z.of_nat k - Z.of_nat (S (S k)) + 2) with 0 by lia. nia. }
      assert (At : - T <= - ((Z.of_nat k - Z.of_nat (S (S k)) + 2) * (Z.of_nat k - Z.of_nat (S (S k)) + 2)) <= T).
      { replace (Z.of_nat k - Z.of_nat (S (S k)) + 2) with 0 by lia. lia. }
      rewrite !(look_at (S (S k)) _ _ k); auto; intros i Hi; specialize (Lb i Hi); nia.
  Qed.

  (** Without a pointer, [BOS] gives 0, 0 and T. *)
  Lemma no_pointer : forall t, readable t -> (forall i, (i <= t)%nat -> is_pointer (w i) = 0) ->
    last t = 0 /\ has t = 0 /\ start t = T.
  Proof.
    intros t (B0 & Bi & Lb & Lt) Np. pose proof sizes as (N2 & T7 & TE & TL). unfold time in Lt.
    assert (Other : forall i, (i <= t)%nat -> i <> 0%nat -> other_token i = 1).
    { intros i Hi Ne. unfold other_token. rewrite Np, Bi by auto. reflexivity. }
    assert (O0 : other_token 0 = 0) by (unfold other_token; rewrite B0; reflexivity).
    assert (B1 : bos (w 0%nat) = 1) by (rewrite B0; reflexivity).
    unfold last, has, start. rewrite !(look_at t _ _ 0); try lia; unfold last_pointer, first_pointer, time.
    - unfold label. rewrite B0. cbn. lia.
    - intros i Hi Ne. rewrite O0, B1, Other, Bi by auto. nia.
    - intros i Hi. destruct (Nat.eq_dec i 0) as [->|Ne]; [rewrite B1|rewrite Bi by auto]; nia.
    - rewrite O0, B1. nia.
    - intros i Hi Ne. rewrite O0, Other by auto. lia.
    - intros i Hi. rewrite Np by auto. nia.
    - rewrite O0. lia.
    - intros i Hi Ne. rewrite O0, Other by auto. lia.
    - intros i Hi. specialize (Lb i Hi). nia.
    - rewrite O0. lia.
  Qed.

  Lemma pointer_flags : forall i, (i <> 0%nat) -> bos (w i) = 0 -> other_token i = 1 - is_pointer (w i) /\ 0 <= is_pointer (w
    i) <= 1.
  Proof. intros i _ B. unfold other_token. rewrite B. unfold is_pointer. destruct (w i); lia. Qed.

  (** The last pointer, and the first. *)
  Lemma last_is : forall t k, readable t -> (k <= t)%nat -> is_pointer (w k) = 1 ->
    (forall i, (k < i <= t)%nat -> is_pointer (w i) = 0) -> last t = label k /\ has t = 1.
  Proof.
    intros t k (B0 & Bi & Lb & Lt) Hk Pk Np. pose proof sizes as (N2 & T7 & TE & TL). unfold time in Lt.
    assert (k <> 0%nat) as K0 by (intros ->; rewrite B0 in Pk; discriminate).
    destruct (pointer_flags k K0 (Bi k Hk K0)) as [Ok _]. rewrite Pk in Ok.
    assert (Sc : forall i, (i <= t)%nat -> i <> k -> last_pointer i <= last_pointer k - 1).
    { intros i Hi Ne. unfold last_pointer, time. rewrite Ok. destruct (Nat.eq_dec i 0) as [->|I0].
      - unfold other_token. rewrite B0. cbn. lia.
      - destruct (pointer_flags i I0 (Bi i Hi I0)) as [Oi Ri]. rewrite Oi. destruct (Nat.lt_ge_cases k i) as [Lk|Gk].
        + rewrite (Np i ltac:(lia)). lia.
        + assert (is_pointer (w i) = 0 \/ is_pointer (w i) = 1) as [-> | ->] by lia; lia. }
    unfold last, has. rewrite !(look_at t _ _ k); auto.
    - intros i Hi. destruct (Nat.eq_dec i 0) as [->|I0]; [rewrite B0; cbn; nia|].
      destruct (pointer_flags i I0 (Bi i Hi I0)) as [_ Ri]. nia.
    - unfold last_pointer, time. rewrite Ok. lia.
    - intros i Hi. specialize (Lb i Hi). nia.
    - unfold last_pointer, time. rewrite Ok. lia.
  Qed.

  Lemma start_is : forall t k, readable t -> (k <= t)%nat -> is_pointer (w k) = 1 ->
    (forall i, (i < k)%nat -> is_pointer (w i) = 0) -> start t = time k.
  Proof.
    intros t k (B0 & Bi & Lb & Lt) Hk Pk Np. pose proof sizes as (N2 & T7 & TE & TL). unfold time in Lt.
    assert (k <> 0%nat) as K0 by (intros ->; rewrite B0 in Pk; discriminate).
    destruct (pointer_flags k K0 (Bi k Hk K0)) as [Ok _]. rewrite Pk in Ok.
    unfold start. rewrite (look_at t _ _ k); auto.
    - rewrite (Bi k Hk K0). lia.
    - intros i Hi Ne. unfold first_pointer, time. rewrite Ok, (Bi k Hk K0). destruct (Nat.eq_dec i 0) as [->|I0].
      + unfold other_token. rewrite B0. cbn. lia.
      + destruct (pointer_flags i I0 (Bi i Hi I0)) as [Oi Ri]. rewrite Oi, (Bi i Hi I0).
        destruct (Nat.lt_ge_cases i k) as [Lk|Gk].
        * rewrite (Np i Lk). lia.
        * assert (is_pointer (w i) = 0 \/ is_pointer (w i) = 1) as [-> | ->] by lia; lia.
    - intros i Hi. unfold time. destruct (Nat.eq_dec i 0) as [->|I0]; [rewrite B0; cbn; nia|].
      rewrite (Bi i Hi I0). nia.
    - unfold first_pointer, time. rewrite Ok, (Bi k Hk K0). lia.
  Qed.

  (** ** What a place stores *)

  Lemma open : forall a b, 0 <= a -> 0 <= b -> larger a b 0 = Z.max a b /\ smaller a b 0 = Z.min a b.
  Proof. intros a b Ha Hb. unfold larger, smaller, relu. lia. Qed.

  Lemma shut : forall a b most c, 0 <= a <= most -> 0 <= b <= most -> c <= -1 ->
    larger a b (most * c) = 0 /\ smaller a b (most * c) = 0.
  Proof. intros a b most c Ha Hb Hc. assert (most * c <= - most) by nia. unfold larger, smaller, relu. lia. Qed.

  Definition stores (t : nat) (hi lo s : Z) : Prop :=
    high t = hi /\ low t = lo /\ high_square t = square hi /\ low_square t = square lo /\
    signed_high t = s * hi /\ signed_low t = s * lo /\ sign t = s.

  Lemma squares : forall a b, 0 <= a -> 0 <= b ->
    Z.max (square a) (square b) = square (Z.max a b) /\ Z.min (square a) (square b) = square (Z.min a b).
  Proof. intros a b Ha Hb. unfold square. destruct (Z.le_gt_cases a b); split; nia. Qed.

  Lemma is_number_flag : forall c, 0 <= is_number c <= 1.
  Proof. intros c. unfold is_number. destruct c; lia. Qed.

  Lemma square_range : forall a, 0 <= a <= nodes -> 0 <= square a <= square nodes.
  Proof. intros a H. unfold square. nia. Qed.

  Lemma stores_prompt : forall k v, readable (S (S k)) -> w (S (S k)) = Vertex v -> w (S k) = Between -> has (S (S k)) = 0 ->
    stores (S (S k)) (Z.max (Z.of_nat v) (label k)) (Z.min (Z.of_nat v) (label k)) 1.
  Proof.
    intros k v R Wv Wb Hs. destruct (one_back _ R) as [B1 B2]. destruct (two_back _ R) as [C1 C2].
    pose proof R as (_ & _ & Lb & _). pose proof (Lb (S (S k)) ltac:(lia)) as Rv. pose proof (Lb k ltac:(lia)) as Rk.
    assert (Ev : label (S (S k)) = Z.of_nat v) by (unfold label; rewrite Wv; reflexivity). rewrite Ev in Rv.
    assert (Eb : label (S k) = 0) by (unfold label; rewrite Wb; reflexivity). rewrite Eb in *.
    rewrite Wb in B1. cbn [bos] in B1.
    destruct (open (Z.of_nat v) (label k)) as [O1 O2]; try lia.
    pose proof (square_range _ Rv). pose proof (square_range _ Rk).
    destruct (open (square (Z.of_nat v)) (square (label k))) as [O3 O4]; try lia.
    destruct (squares (Z.of_nat v) (label k)) as [Q1 Q2]; try lia.
    destruct (shut (Z.of_nat v) (0 + 0) nodes (-1)) as [S1 S2]; try lia.
    destruct (shut (square (Z.of_nat v)) (square 0) (square nodes) (-1)) as [S3 S4]; try (unfold square in *; lia).
    unfold stores, high, low, high_square, low_square, signed_high, signed_low, sign, of_prompt, climb.
    rewrite B1, B2, C1, C2, Ev, Hs, Wv. cbn [is_number]. change (1 + 0 - 2) with (-1). change (- (0 + 0)) with 0.
    rewrite !Z.mul_0_r, O1, O2, O3, O4, S1, S2, S3, S4, Q1, Q2. unfold relu. repeat split; lia.
  Qed.

  Lemma stores_climb : forall k v, readable (S k) -> w (S k) = Vertex v -> 1 <= label k -> bos (w k) = 0 -> has (S k) = 1 ->
    stores (S k) (Z.max (Z.of_nat v) (label k)) (Z.min (Z.of_nat v) (label k)) (-1).
  Proof.
    intros k v R Wv Lk Bk Hs. destruct (one_back _ R) as [B1 B2]. destruct (two_back _ R) as [C1 C2].
    pose proof R as (_ & _ & Lb & _). pose proof (Lb (S k) ltac:(lia)) as Rv. pose proof (Lb k ltac:(lia)) as Rk.
    assert (Ev : label (S k) = Z.of_nat v) by (unfold label; rewrite Wv; reflexivity). rewrite Ev in Rv.
    rewrite Bk, Z.add_0_r in B1.
    assert (R2 : 0 <= two_before (S k) <= nodes /\ two_before_square (S k) = square (two_before (S k))).
    { rewrite C1, C2. destruct k as [|k]; [unfold square; lia|]. specialize (Lb k ltac:(lia)). unfold square. lia. }
    destruct R2 as [R2 R3].
    destruct (open (Z.of_nat v) (label k)) as [O1 O2]; try lia.
    pose proof (square_range _ Rv). pose proof (square_range _ Rk). pose proof (square_range _ R2).
    destruct (open (square (Z.of_nat v)) (square (label k))) as [O3 O4]; try lia.
    destruct (squares (Z.of_nat v) (label k)) as [Q1 Q2]; try lia.
    destruct (shut (Z.of_nat v) (two_before (S k)) nodes (- label k)) as [S1 S2]; try lia.
    destruct (shut (square (Z.of_nat v)) (square (two_before (S k))) (square nodes) (- label k)) as [S3 S4]; try lia.
    unfold stores, high, low, high_square, low_square, signed_high, signed_low, sign, of_prompt, climb.
    rewrite R3, B1, B2, Ev, Hs, Wv. cbn [is_number]. change (1 + 1 - 2) with 0.
    rewrite !Z.mul_0_r, O1, O2, O3, O4, S1, S2, S3, S4, Q1, Q2. unfold relu. repeat split; lia.
  Qed.

  Lemma stores_nothing : forall t, readable t -> 1 <= before t -> is_number (w t) + has t <= 1 -> stores t 0 0 0.
  Proof.
    intros t R Bt Hs. destruct (one_back _ R) as [B1 B2]. destruct (two_back _ R) as [C1 C2].
    pose proof R as (B0 & Bi & Lb & Lt). pose proof (Lb t ltac:(lia)) as Rv. pose proof sizes as (N2 & _).
    assert (R2 : 0 <= two_before t <= nodes /\ two_before_square t = square (two_before t)).
    { rewrite C1, C2. destruct t as [|[|k]]; try (unfold square; lia). specialize (Lb k ltac:(lia)). unfold square. lia. }
    assert (R1 : 0 <= before t <= nodes /\ 0 <= before_square t <= square nodes).
    { rewrite B1, B2. destruct t as [|k]; [unfold square; nia|]. specialize (Lb k ltac:(lia)) as Lk.
      split; [|apply square_range; exact Lk]. destruct (Nat.eq_dec k 0) as [->|K0].
      - unfold label. rewrite B0. cbn. lia.
      - rewrite (Bi k) by lia. lia. }
    destruct R2 as [R2 R3], R1 as [R1 R4].
    pose proof (square_range _ Rv). pose proof (square_range _ R2). pose proof (is_number_flag (w t)).
    destruct (shut (label t) (two_before t) nodes (- before t)) as [S1 S2]; try lia.
    destruct (shut (square (label t)) (two_before_square t) (square nodes) (- before t)) as [S3 S4]; try lia.
    destruct (shut (label t) (before t) nodes (is_number (w t) + has t - 2)) as [S5 S6]; try lia.
    destruct (shut (square (label t)) (before_square t) (square nodes) (is_number (w t) + has t - 2)) as [S7 S8]; try lia.
    unfold stores, high, low, high_square, low_square, signed_high, signed_low, sign, of_prompt, climb.
    rewrite S1, S2, S3, S4, S5, S6, S7, S8. unfold relu. repeat split; try lia.
  Qed.

  (** ** Layer 2 counts *)

  Lemma total_snoc : forall t g, total (seq 0 (S t)) g = total (seq 0 t) g + g t.
  Proof.
    intros t g. rewrite seq_S. generalize (seq 0 t). induction l as [|i l IH]; cbn [app total fold_right]; [simpl; lia|].
    unfold total in *. rewrite IH. simpl. lia.
  Qed.

  Lemma total_plus : forall l f g, total l (fun i => f i + g i) = total l f + total l g.
  Proof. induction l as [|i l IH]; intros f g; cbn [total fold_right]; [reflexivity|]. unfold total in *. rewrite IH. lia. Qed.

  Lemma total_zero : forall l f, (forall i, In i l -> f i = 0) -> total l f = 0.
  Proof.
    induction l as [|i l IH]; intros f E; [reflexivity|]. cbn [total fold_right]. rewrite (E i (or_introl eq_refl)).
    specialize (IH f (fun j Hj => E j (or_intror Hj))). unfold total in IH. rewrite IH. reflexivity.
  Qed.

  Lemma total_le : forall l f g, (forall i, In i l -> f i <= g i) -> total l f <= total l g.
  Proof.
    induction l as [|i l IH]; intros f g E; cbn [total fold_right]; [lia|]. pose proof (E i (or_introl eq_refl)).
    specialize (IH f g (fun j Hj => E j (or_intror Hj))). unfold total in IH. lia.
  Qed.

  Lemma filter_total : forall (p : nat -> bool) l g, total (filter p l) g = total l (fun i => unit_if (p i) * g i).
  Proof.
    induction l as [|i l IH]; intros g; [reflexivity|]. cbn [filter]. unfold unit_if at 1. cbn [total fold_right].
    unfold total in *. rewrite <- IH. destruct (p i); cbn [fold_right]; unfold unit_if; lia.
  Qed.

  Lemma filter_length : forall (p : nat -> bool) l, Z.of_nat (length (filter p l)) = total l (fun i => unit_if (p i)).
  Proof.
    intros p l. rewrite <- (Z.mul_1_r (Z.of_nat _)), <- total_constant, filter_total. apply total_ext. intros. lia.
  Qed.

  (** Every place stores an edge or nothing. *)
  Definition places_store (t : nat) : Prop := forall i, (i <= t)%nat ->
    stores i 0 0 0 \/ exists hi lo s, stores i hi lo s /\ (s = 1 \/ s = -1) /\ 1 <= lo <= hi /\ hi <= nodes.

  (** Sums over the places that store an edge with x at this end, and the weight u of one place. *)
  Lemma counts : forall t own own_square (x := label t), readable t -> 1 <= x -> sign 0%nat = 0 -> own 0%nat = 0 ->
    own_square 0%nat = 0 ->
    (forall i, (i <= t)%nat -> own_square i = own i * own i) ->
    (forall i, (i <= t)%nat -> Z.abs (sign i) <= 1 /\ (own i = x -> Z.abs (sign i) = 1)) ->
    total (seq 0 (S t)) (fun i => Z.abs (sign i)) <= 2 * nodes - 2 ->
    exists u, L <= T * u /\ u <= L /\
      u * (1 + total (seq 0 (S t)) (fun i => unit_if (own i =? x) * Z.abs (sign i))) <= L /\
      forall value, (forall i, (i <= t)%nat -> - L <= value i <= L) ->
        head L expo t (matches own own_square t) value =
        u * (value 0%nat + total (seq 0 (S t)) (fun i => unit_if (own i =? x) * value i)).
  Proof.
    intros t own own_square x R X1 Sg0 O0 OS0 Sq Sg Few. pose proof R as (B0 & Bi & Lb & Lt).
    pose proof sizes as (N2 & T7 & TE & TL). set (l := seq 0 (S t)) in *.
    set (ties := fun i => (i =? 0)%nat || (own i =? x)).
    assert (Split : forall g, total l (fun i => unit_if (ties i) * g i) = g 0%nat + total l (fun i => unit_if (own i =? x) * g
      i)).
    { intros g. unfold l. change (seq 0 (S t)) with (0%nat :: seq 1 t). cbn [total fold_right].
      unfold ties at 1. cbn [Nat.eqb orb]. rewrite O0. destruct (Z.eqb_spec 0 x); [lia|]. unfold unit_if at 1 3.
      rewrite Z.mul_0_l, Z.mul_1_l, Z.add_0_l. f_equal. apply (total_ext (seq 1 t)). intros i Hi. apply in_seq in Hi.
      unfold ties. destruct (Nat.eqb_spec i 0); [lia|]. reflexivity. }
    set (M := Z.of_nat (length (filter ties l))).
    assert (EM : M = 1 + total l (fun i => unit_if (own i =? x) * Z.abs (sign i))).
    { unfold M. rewrite filter_length. rewrite (total_ext l _ (fun i => unit_if (ties i) * 1)) by (intros; lia).
      rewrite (Split (fun _ => 1)). f_equal. apply total_ext. intros i Hi. unfold l in Hi. apply in_seq in Hi.
      destruct (Sg i ltac:(lia)) as [_ S1]. destruct (Z.eqb_spec (own i) x) as [E|_]; unfold unit_if; [rewrite S1 by exact E|];
        lia. }
    assert (MB : M <= 2 * nodes - 1).
    { rewrite EM. assert (total l (fun i => unit_if (own i =? x) * Z.abs (sign i)) <= total l (fun i => Z.abs (sign i)));
        [|lia].
      apply total_le. intros i _. unfold unit_if. destruct (own i =? x); lia. }
    assert (M1 : 1 <= M).
    { rewrite EM. assert (0 <= total l (fun i => unit_if (own i =? x) * Z.abs (sign i))); [|lia].
      apply total_nonneg. intros i. unfold unit_if. destruct (own i =? x); lia. }
    exists (L / M). pose proof (Z.mul_div_le L M ltac:(lia)) as D1. pose proof (Z.mul_succ_div_gt L M ltac:(lia)) as D2.
    set (u := L / M) in *. split; [nia|]. split; [nia|]. split; [rewrite <- EM; lia|].
    assert (L1 : 1 <= L) by nia. assert (E0 : 0 <= eta) by lia. assert (K0 : (0 <= t)%nat) by lia.
    assert (E1 : eta * 1 <= eta * (2 * (T + 1))) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (E2 : eta - L <= 0 <= L) by lia.
    intros value Va. rewrite (head_of_ties L eta expo L1 E0 expo_zero expo_far t _ value 0 ties 0 K0 eq_refl);
      [| |exact Va|exact E2].
    - fold l. fold M. fold u. rewrite filter_total, Split. reflexivity.
    - intros i Hi. unfold ties, matches. destruct (Nat.eqb_spec i 0) as [->|I0]; cbn [orb].
      + rewrite O0, OS0, B0. cbn [bos]. lia.
      + rewrite (Bi i Hi I0), (Sq i Hi). unfold square. fold x. destruct (Z.eqb_spec (own i) x) as [->|Ne]; [lia|].
        assert (1 <= (own i - x) * (own i - x)) by nia. nia.
  Qed.

  (** ** The network follows the thought *)

  Variable es : list edge.
  Hypothesis an_edge : (1 <= length es)%nat.
  Hypothesis few_edges : (length es < n)%nat.
  Hypothesis edges_among : among (S (length es)) es.
  Notation m := (length es).

  Definition hi (e : edge) : Z := Z.of_nat (Nat.max (fst e) (snd e)).
  Definition lo (e : edge) : Z := Z.of_nat (Nat.min (fst e) (snd e)).
  Definition edge_sum (F : Z -> Z -> Z) (l : list edge) : Z := fold_right (fun e s => F (hi e) (lo e) + s) 0 l.
  Definition signed_sum (F : Z -> Z -> Z) (t : nat) : Z := total (seq 0 (S t)) (fun i => sign i * F (high i) (low i)).

  Record follows (t : nat) (s : state) : Prop := {
    f_readable : readable t;
    f_places : places_store t;
    f_zero : stores 0 0 0 0;
    f_sums : forall F, signed_sum F t = edge_sum F (left s);
    f_stored : total (seq 0 (S t)) (fun i => Z.abs (sign i)) = Z.of_nat (m + climbs s);
    f_label : 1 <= label t;
    f_time : time t = 3 * Z.of_nat m + Z.of_nat (pointers s) + Z.of_nat (climbs s);
    f_pointers : (s = begin es /\ forall i, (i <= t)%nat -> is_pointer (w i) = 0) \/
      ((1 <= pointers s)%nat /\ label t = Z.of_nat (here s) /\ is_pointer (w (3 * m + 1)%nat) = 1 /\ (3 * m + 1 <= t)%nat /\
       (forall i, (i < 3 * m + 1)%nat -> is_pointer (w i) = 0) /\
       exists k, (k <= t)%nat /\ is_pointer (w k) = 1 /\ label k = Z.of_nat (pointers s) /\
         forall i, (k < i <= t)%nat -> is_pointer (w i) = 0)
  }.

  Definition at_end (own : Z -> Z -> Z) (x : Z) (F : Z -> Z -> Z) (h l : Z) : Z := unit_if (own h l =? x) * F h l.
  Definition of_high (h l : Z) : Z := h.
  Definition of_low (h l : Z) : Z := l.
  Definition of_one (h l : Z) : Z := 1.

  Lemma layer_two : forall t s (x := label t), follows t s -> (climbs s <= m)%nat ->
    exists u v, L <= T * u /\ L <= T * v /\
      high_degree t = u * edge_sum (at_end of_high x of_one) (left s) /\ high_unit t = u /\
      low_degree t = v * edge_sum (at_end of_low x of_one) (left s) /\ low_unit t = v /\
      total_of t = u * edge_sum (at_end of_high x of_low) (left s) + v * edge_sum (at_end of_low x of_high) (left s) /\
      u * edge_sum (at_end of_high x of_one) (left s) <= L /\ v * edge_sum (at_end of_low x of_one) (left s) <= L.
  Proof.
    intros t s x F Cl. pose proof (f_places t s F) as Pl. destruct (f_zero t s F) as (Z1 & Z2 & Z3 & Z4 & Z5 & Z6 & Z7).
    pose proof (f_readable t s F) as R. pose proof R as (B0 & Bi & Lb & Lt). pose proof (f_label t s F) as X1. fold x in X1.
    pose proof (f_stored t s F) as St. pose proof sizes as (N2 & T7 & TE & TL). unfold square in Z3, Z4.
    assert (Few : total (seq 0 (S t)) (fun i => Z.abs (sign i)) <= 2 * nodes - 2) by (rewrite St; unfold nodes; lia).
    assert (Facts : forall i, (i <= t)%nat -> high_square i = high i * high i /\ low_square i = low i * low i /\
      signed_high i = sign i * high i /\ signed_low i = sign i * low i /\ Z.abs (sign i) <= 1 /\
      (high i = x -> Z.abs (sign i) = 1) /\ (low i = x -> Z.abs (sign i) = 1) /\ 0 <= high i <= nodes /\ 0 <= low i <= nodes).
    { intros i Hi. unfold square in *. destruct (Pl i Hi) as [(A1 & A2 & A3 & A4 & A5 & A6 & A7)|
        (h & l & g & (A1 & A2 & A3 & A4 & A5 & A6 & A7) & G & Or & Nh)]; unfold square in A3, A4.
      - rewrite A1, A2, A3, A4, A5, A6, A7. repeat split; lia.
      - rewrite A1, A2, A3, A4, A5, A6, A7. destruct G as [-> | ->]; repeat split; lia. }
    assert (Hi1 : forall i, (i <= t)%nat -> Z.abs (sign i) <= 1 /\ (high i = x -> Z.abs (sign i) = 1)).
    { intros i Hi. destruct (Facts i Hi) as (_ & _ & _ & _ & A & A' & _). split; assumption. }
    assert (Lo1 : forall i, (i <= t)%nat -> Z.abs (sign i) <= 1 /\ (low i = x -> Z.abs (sign i) = 1)).
    { intros i Hi. destruct (Facts i Hi) as (_ & _ & _ & _ & A & _ & A' & _). split; assumption. }
    destruct (counts t high high_square R X1 Z7 Z1 Z3 (fun i Hi => proj1 (Facts i Hi)) Hi1 Few) as (u & U1 & U2 & U3 & U4).
    destruct (counts t low low_square R X1 Z7 Z2 Z4 (fun i Hi => proj1 (proj2 (Facts i Hi))) Lo1 Few) as (v & V1 & V2 & V3 &
      V4).
    exists u, v. fold x in U3, U4, V3, V4.
    assert (Bos1 : forall own : nat -> Z, own 0%nat = 0 -> total (seq 0 (S t)) (fun i => unit_if (own i =? x) * bos (w i)) = 0).
    { intros own E0. apply total_zero. intros i Hi. apply in_seq in Hi. destruct (Nat.eq_dec i 0) as [->|I0].
      - rewrite E0. destruct (Z.eqb_spec 0 x); [lia|reflexivity].
      - rewrite (Bi i) by lia. apply Z.mul_0_r. }
    assert (Hs : forall G (value : nat -> Z), (forall i, (i <= t)%nat -> value i = sign i * G (high i) (low i)) ->
      total (seq 0 (S t)) (fun i => unit_if (high i =? x) * value i) = edge_sum (at_end of_high x G) (left s)).
    { intros G value Ev. rewrite <- (f_sums t s F). unfold signed_sum, at_end, of_high. apply total_ext. intros i Hi.
      apply in_seq in Hi. rewrite Ev by lia. apply Z.mul_shuffle3. }
    assert (Ls : forall G (value : nat -> Z), (forall i, (i <= t)%nat -> value i = sign i * G (high i) (low i)) ->
      total (seq 0 (S t)) (fun i => unit_if (low i =? x) * value i) = edge_sum (at_end of_low x G) (left s)).
    { intros G value Ev. rewrite <- (f_sums t s F). unfold signed_sum, at_end, of_low. apply total_ext. intros i Hi.
      apply in_seq in Hi. rewrite Ev by lia. apply Z.mul_shuffle3. }
    assert (Sv : forall i, (i <= t)%nat -> - L <= sign i <= L).
    { intros i Hi. destruct (Facts i Hi) as (_ & _ & _ & _ & A & _). nia. }
    assert (NL : nodes <= L) by nia. assert (L_at_least : 1 <= L) by lia.
    assert (One : forall i, (i <= t)%nat -> sign i = sign i * of_one (high i) (low i)) by (intros; unfold of_one; ring).
    unfold high_degree, high_unit, low_degree, low_unit, total_of, at_high, at_low.
    assert (Sl : forall i, (i <= t)%nat -> - L <= signed_low i <= L).
    { intros i Hi. destruct (Facts i Hi) as (_ & _ & _ & A2 & A3 & _ & _ & _ & A5). rewrite A2.
      assert (sign i = 0 \/ sign i = 1 \/ sign i = -1) as [-> | [-> | ->]] by lia; lia. }
    assert (Sh : forall i, (i <= t)%nat -> - L <= signed_high i <= L).
    { intros i Hi. destruct (Facts i Hi) as (_ & _ & A1 & _ & A3 & _ & _ & A4 & _). rewrite A1.
      assert (sign i = 0 \/ sign i = 1 \/ sign i = -1) as [-> | [-> | ->]] by lia; lia. }
    assert (Sb : forall i, (i <= t)%nat -> - L <= bos (w i) <= L) by (intros i _; unfold bos; destruct (w i); lia).
    rewrite (U4 sign Sv), (U4 signed_low Sl), (U4 (fun i => bos (w i)) Sb), (V4 sign Sv), (V4 signed_high Sh),
      (V4 (fun i => bos (w i)) Sb), Z7, Z5, Z6, B0, (Bos1 high Z1), (Bos1 low Z2).
    rewrite (Hs of_one sign One), (Ls of_one sign One).
    rewrite (Hs of_low signed_low) by (intros i Hi; apply Facts; exact Hi).
    rewrite (Ls of_high signed_high) by (intros i Hi; apply Facts; exact Hi).
    cbn [bos]. rewrite !Z.mul_0_l, !Z.add_0_l, !Z.add_0_r, !Z.mul_1_r.
    assert (Hu : edge_sum (at_end of_high x of_one) (left s) <= total (seq 0 (S t)) (fun i => unit_if (high i =? x) * Z.abs
      (sign i))).
    { rewrite <- (Hs of_one sign One). apply total_le. intros i _. unfold unit_if. destruct (high i =? x); lia. }
    assert (Hv : edge_sum (at_end of_low x of_one) (left s) <= total (seq 0 (S t)) (fun i => unit_if (low i =? x) * Z.abs (sign
      i))).
    { rewrite <- (Ls of_one sign One). apply total_le. intros i _. unfold unit_if. destruct (low i =? x); lia. }
    assert (U0 : 0 <= u) by (clear - U1 T7 L_at_least; nia). assert (V0 : 0 <= v) by (clear - V1 T7 L_at_least; nia).
    pose proof (Z.mul_le_mono_nonneg_l _ _ u U0 Hu). pose proof (Z.mul_le_mono_nonneg_l _ _ v V0 Hv).
    split; [exact U1|]. split; [exact V1|]. split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
    split; [reflexivity|]. split; [reflexivity|]. clear - U3 V3 U0 V0 H H0. split; lia.
  Qed.

  Lemma edge_sum_cons : forall F e l, edge_sum F (e :: l) = F (hi e) (lo e) + edge_sum F l.
  Proof. reflexivity. Qed.

  (** Degrees are sums over ends. *)
  Lemma degree_is : forall l v, Z.of_nat (degree l v) =
    edge_sum (at_end of_high (Z.of_nat v) of_one) l + edge_sum (at_end of_low (Z.of_nat v) of_one) l.
  Proof.
    induction l as [|[a b] l IH]; intros v; [reflexivity|]. rewrite degree_cons, Nat2Z.inj_add, IH, !edge_sum_cons.
    generalize (edge_sum (at_end of_high (Z.of_nat v) of_one) l), (edge_sum (at_end of_low (Z.of_nat v) of_one) l).
    intros p q. unfold at_end, of_high, of_low, of_one, unit_if, hi, lo, ends. cbn [fst snd].
    destruct (Nat.eqb_spec a v), (Nat.eqb_spec b v), (Z.eqb_spec (Z.of_nat (Nat.max a b)) (Z.of_nat v)),
      (Z.eqb_spec (Z.of_nat (Nat.min a b)) (Z.of_nat v)); lia.
  Qed.

  Lemma edge_sum_app : forall F a b, edge_sum F (a ++ b) = edge_sum F a + edge_sum F b.
  Proof. induction a as [|e a IH]; intros b; [reflexivity|]. cbn [app]. rewrite !edge_sum_cons, IH. ring. Qed.

  Lemma edge_sum_untouched : forall own l v F, (own = of_high \/ own = of_low) -> degree l v = 0%nat ->
    edge_sum (at_end own (Z.of_nat v) F) l = 0.
  Proof.
    induction l as [|[a b] l IH]; intros v F O D; [reflexivity|]. rewrite degree_cons in D.
    rewrite edge_sum_cons, IH by (auto; lia). unfold ends in D. cbn [fst snd] in D.
    destruct (Nat.eqb_spec a v), (Nat.eqb_spec b v); try lia. unfold at_end.
    destruct O as [-> | ->]; unfold of_high, of_low, hi, lo, unit_if; cbn [fst snd];
      match goal with |- context [?p =? ?q] => destruct (Z.eqb_spec p q) end; lia.
  Qed.

  Lemma edge_sum_range : forall own F l v, (forall e, In e l -> 0 <= F (hi e) (lo e) <= nodes) ->
    0 <= edge_sum (at_end own v F) l <= nodes * edge_sum (at_end own v of_one) l /\ 0 <= edge_sum (at_end own v of_one) l.
  Proof.
    induction l as [|e l IH]; intros v H; [simpl; lia|]. rewrite !edge_sum_cons.
    specialize (IH v (fun e' He' => H e' (or_intror He'))). specialize (H e (or_introl eq_refl)).
    revert IH. generalize (edge_sum (at_end own v F) l), (edge_sum (at_end own v of_one) l). intros p q IH.
    unfold at_end, of_one, unit_if. pose proof sizes. destruct (own (hi e) (lo e) =? v); lia.
  Qed.

  (** Arithmetic of the read-out: a wins. *)
  Lemma flag_range : forall a b u v, 0 <= a -> 0 <= b -> L <= T * u -> L <= T * v ->
    let F := T * (u * a) - T * relu (u * a - v * b) + T * relu (u * a - u) + T * relu (v * b - v) + relu (L - T * (u * a + v *
      b)) in
    (a + b = 1 -> F = 0) /\ (a + b <> 1 -> L <= F).
  Proof.
    intros a b u v Ha Hb Hu Hv. pose proof sizes as (N2 & T7 & TE & TL). cbv zeta. unfold relu.
    assert (1 <= L) by nia. assert (1 <= u) by nia. assert (1 <= v) by nia. set (A := T * u) in *. set (B := T * v) in *.
    split; intros E.
    - assert (a = 1 /\ b = 0 \/ a = 0 /\ b = 1) as [[-> ->]|[-> ->]] by lia.
      + rewrite !Z.mul_1_r, !Z.mul_0_r, Z.add_0_r. fold A. rewrite Z.sub_0_r, Z.sub_diag. replace (Z.max 0 u) with u by lia.
        fold A.
        replace (Z.max 0 (0 - v)) with 0 by lia. lia.
      + rewrite !Z.mul_1_r, !Z.mul_0_r, Z.add_0_l. fold B. rewrite Z.sub_diag. replace (Z.max 0 (0 - v)) with 0 by lia.
        replace (Z.max 0 (0 - u)) with 0 by lia. lia.
    - destruct (Z.eq_dec a 0) as [->|A0], (Z.eq_dec b 0) as [->|B0].
      + rewrite !Z.mul_0_r. lia.
      + rewrite !Z.mul_0_r. assert (v <= v * b - v) by nia. assert (B <= T * Z.max 0 (v * b - v)) by (apply
          Z.mul_le_mono_nonneg_l; lia).
        replace (Z.max 0 (0 - v * b)) with 0 by lia. replace (Z.max 0 (0 - u)) with 0 by lia. lia.
      + rewrite !Z.mul_0_r. assert (u <= u * a - u) by nia. assert (A <= T * Z.max 0 (u * a - u)) by (apply
          Z.mul_le_mono_nonneg_l; lia).
        replace (Z.max 0 (0 - v)) with 0 by lia. rewrite Z.sub_0_r. replace (Z.max 0 (u * a)) with (u * a) by lia. lia.
      + assert (Lo : L <= T * (u * a - Z.max 0 (u * a - v * b))).
        { destruct (Z.le_gt_cases (u * a) (v * b)).
          - assert (A <= T * (u * a - Z.max 0 (u * a - v * b))); [|lia].
            apply Z.mul_le_mono_nonneg_l; [lia|]. assert (u * 1 <= u * a) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
          - assert (B <= T * (u * a - Z.max 0 (u * a - v * b))); [|lia].
            apply Z.mul_le_mono_nonneg_l; [lia|]. assert (v * 1 <= v * b) by (apply Z.mul_le_mono_nonneg_l; lia). lia. }
        assert (0 <= T * Z.max 0 (u * a - u)) by (apply Z.mul_nonneg_nonneg; lia).
        assert (0 <= T * Z.max 0 (v * b - v)) by (apply Z.mul_nonneg_nonneg; lia). lia.
  Qed.

  Lemma in_vocabulary : forall c, In c vocabulary <->
    match c with Vertex i | Pointer i => (1 <= i <= n)%nat | _ => True end.
  Proof.
    intros c. unfold vocabulary. cbn [In]. rewrite in_app_iff, in_app_iff. cbn [In]. rewrite !in_map_iff.
    destruct c; split; intros H; auto.
    - destruct H as [H|[(x & E & H)|[H|(x & E & _)]]]; try discriminate; [injection E as <-; apply in_seq in H; lia|].
      destruct H as [H|[H|[H|[]]]]; discriminate.
    - right. left. exists v. split; [reflexivity|apply in_seq; lia].
    - destruct H as [H|[(x & E & _)|[H|(x & E & H)]]]; try discriminate; [destruct H as [H|[H|[H|[]]]]; discriminate|].
      injection E as <-. apply in_seq in H. lia.
    - right. right. right. exists v. split; [reflexivity|apply in_seq; lia].
    - right. right. left. tauto.
    - right. right. left. tauto.
  Qed.

  Lemma among_range : forall l, among (S m) l -> forall e, In e l -> 0 <= hi e <= nodes /\ 0 <= lo e <= nodes.
  Proof. intros l A e He. pose proof (A e He). unfold hi, lo, nodes. lia. Qed.

  Lemma square_positive : forall d, d <> 0 -> 1 <= d * d.
  Proof. intros. nia. Qed.

  Lemma unit_positive : forall u, L <= T * u -> 1 <= L /\ 1 <= u.
  Proof. intros u H. pose proof sizes as (_ & T7 & _ & TL). split; nia. Qed.

  Lemma scaled : 1 <= L -> forall a b, a < b -> L * a < L * b.
  Proof. intros L1 a b H. apply Z.mul_lt_mono_pos_l; lia. Qed.

  (** The token that the network writes next is the next token of the thought. *)
  Theorem peeling_step : forall t s, follows t s -> holds (S m) es s -> next_token t = fst (next (S m) m s).
  Proof.
    intros t s F (Am & Len & Tr & Pn & _). pose proof sizes as (N2 & T7 & TE & TL). unfold nodes in N2, TE.
    destruct (layer_two t s F ltac:(lia)) as (u & v & Hu & Hv & E1 & E2 & E3 & E4 & E5 & R1 & R2).
    set (x := label t) in *.
    pose proof (edge_sum_range of_high of_low (left s) x (fun e He => proj2 (among_range _ Am e He))) as [Bs Bp].
    pose proof (edge_sum_range of_low of_high (left s) x (fun e He => proj1 (among_range _ Am e He))) as [Bs' Bp'].
    set (rho := edge_sum (at_end of_high x of_one) (left s)) in *. set (rho' := edge_sum (at_end of_low x of_one) (left s)) in
      *.
    set (su := edge_sum (at_end of_high x of_low) (left s)) in *. set (su' := edge_sum (at_end of_low x of_high) (left s)) in *.
    assert (Flag : (rho + rho' = 1 -> not_leaf t = 0) /\ (rho + rho' <> 1 -> L <= not_leaf t)).
    { unfold not_leaf. rewrite E1, E2, E3, E4. apply flag_range; auto. }
    destruct (unit_positive u Hu) as [L1 U1]. destruct (unit_positive v Hv) as [_ V1]. pose proof (scaled L1) as Scale.
    set (N := Z.of_nat n) in *. unfold nodes in Bs, Bs'. fold N in Bs, Bs'.
    assert (Tot : total_of t <= 2 * N * L).
    { rewrite E5. assert (u * su <= u * (N * rho)) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (v * su' <= v * (N * rho')) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (N * (u * rho) <= N * L) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (N * (v * rho') <= N * L) by (apply Z.mul_le_mono_nonneg_l; lia). lia. }
    assert (Deg : 0 <= high_degree t + low_degree t).
    { rewrite E1, E3. apply Z.add_nonneg_nonneg; apply Z.mul_nonneg_nonneg; lia. }
    assert (Sl : slope = N * N + 2 * N + 1) by (unfold slope, square, nodes; fold N; ring).
    assert (De : depth = slope + N * T) by reflexivity.
    assert (Si : silence = 4 * (N * N) + depth) by reflexivity.
    assert (NN : 4 <= N * N) by (apply (Z.mul_le_mono_nonneg 2 N 2 N); lia).
    assert (NT : 14 <= N * T) by (apply (Z.mul_le_mono_nonneg 2 N 7 T); lia).
    set (nn := N * N) in *. set (nt := N * T) in *. clearbody nt.
    assert (Silent : - silence * L = L * - silence) by ring.
    (* Vertices are silent unless a leaf is looked at in the thought. *)
    assert (Quiet : 0 <= not_leaf t -> L <= not_leaf t + L * (1 - has t) ->
      forall i, (1 <= i <= n)%nat -> logit t (Vertex i) <= L * - depth).
    { intros P1 P3 i Hi. unfold logit, square. set (I := Z.of_nat i). assert (RI : 1 <= I <= N) by lia.
      assert (2 * I * total_of t <= 2 * I * (2 * N * L)) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (NL : 0 <= 4 * (N * L)) by (apply Z.mul_nonneg_nonneg; [lia|apply Z.mul_nonneg_nonneg; lia]).
      assert (I * (4 * (N * L)) <= N * (4 * (N * L))) by (apply Z.mul_le_mono_nonneg_r; lia).
      assert (0 <= I * I * (high_degree t + low_degree t)) by (apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg;
        lia|exact Deg]).
      assert (silence * L <= silence * (not_leaf t + L * (1 - has t))) by (apply Z.mul_le_mono_nonneg_l; [lia|exact P3]).
      assert (silence * L = 4 * nn * L + depth * L) by (rewrite Si; ring). unfold nn in *. lia. }
    assert (Nl : 0 <= not_leaf t).
    { destruct (Z.eq_dec (rho + rho') 1) as [E|E]; [rewrite (proj1 Flag E)|pose proof (proj2 Flag E)]; lia. }
    destruct (f_pointers t s F) as [(Sb & Np)|(P1 & Lx & Pk & Kt & Nb & k & Hk & Wk & Lk & Nk)].
    - (* The first pointer. *)
      destruct (no_pointer t (f_readable t s F) Np) as (La & Ha & St). pose proof (f_time t s F) as Ti.
      assert (En : fst (next (S m) m s) = Pointer 1).
      { rewrite Sb. unfold next, begin. cbn [left here pointers]. rewrite (among_zero (S m) es edges_among). reflexivity. }
      rewrite En. rewrite Sb in Ti. cbn [pointers climbs begin] in Ti. apply next_token_is; [apply in_vocabulary; lia|].
      intros d Ne. destruct (in_dec token_eq d vocabulary) as [Hd|]; [left|right; assumption]. apply in_vocabulary in Hd.
      assert (W1 : logit t (Pointer 1) = L * (1 - depth)) by (unfold logit, square; rewrite La; lia). rewrite W1.
      assert (Sn : slope * (3 * 0 - T - 2) <= slope * (-2)) by (apply Z.mul_le_mono_nonneg_l; lia).
      destruct d as [| |i|i| |].
      + unfold logit. rewrite Silent. apply Scale. lia.
      + unfold logit. rewrite Silent. apply Scale. lia.
      + assert (P3 : L <= not_leaf t + L * (1 - has t)) by (rewrite Ha; lia). pose proof (Quiet Nl P3 i Hd).
        pose proof (Scale (- depth) (1 - depth) ltac:(lia)). lia.
      + unfold logit. rewrite La. unfold square. apply Scale. assert (i <> 1%nat) by congruence.
        assert (2 * Z.of_nat i <= Z.of_nat i * Z.of_nat i) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
      + unfold logit. rewrite La, St. apply Scale. lia.
      + unfold logit. rewrite La, St, <- Z.mul_add_distr_l. apply Scale. unfold time in *. lia.
    - destruct (last_is t k (f_readable t s F) Hk Wk Nk) as [La Ha]. rewrite Lk in La.
      pose proof (start_is t _ (f_readable t s F) Kt Pk Nb) as St. pose proof (f_time t s F) as Ti. unfold time in St, Ti.
      assert (De2 : Z.of_nat (degree (left s) (here s)) = rho + rho').
      { rewrite degree_is. unfold rho, rho', x. rewrite Lx. reflexivity. }
      set (P := Z.of_nat (pointers s)) in *. assert (RP : 1 <= P <= N) by lia.
      assert (Sn : slope * (3 * P - Z.of_nat (3 * m + 1) - 2) <= slope * (3 * (P - Z.of_nat (S m)))).
      { apply Z.mul_le_mono_nonneg_l; lia. }
      assert (S0 : slope * (3 * (P - Z.of_nat (S m))) <= slope * 0) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (Missing : 1 + 3 * Z.of_nat t - 4 * (Z.of_nat (3 * m + 1) - 1) - 3 * P = 1 + 3 * (Z.of_nat (climbs s) - Z.of_nat
        m)) by lia.
      assert (Pointers : forall i, (1 <= i <= n)%nat -> 2 * Z.of_nat i * (P + 1) - Z.of_nat i * Z.of_nat i <= slope).
      { intros i Hi. set (I := Z.of_nat i). assert (0 <= (I - (P + 1)) * (I - (P + 1))) by (apply Z.square_nonneg).
        assert ((P + 1) * (P + 1) <= (N + 1) * (N + 1)) by (apply Z.mul_le_mono_nonneg; lia). unfold nn in *. lia. }
      unfold next. destruct (Nat.eqb_spec (degree (left s) (here s)) 1) as [D1|D1].
      + (* A leaf: its neighbour. *)
        destruct (leaf_edge _ _ D1) as (a & e & b & El & Fe & _ & Oe). rewrite Fe. cbn [fst].
        destruct (ends_one _ _ Oe) as [Ee Nx]. set (y := other (here s) e) in *.
        assert (Re : (1 <= y <= n)%nat).
        { assert (In e (left s)) as Hin by (rewrite El; apply in_elt). pose proof (Am e Hin).
          destruct Ee as [Ee|Ee]; rewrite Ee in *; cbn [fst snd] in *; lia. }
        assert (Da : degree a (here s) = 0%nat /\ degree b (here s) = 0%nat).
        { rewrite El, degree_app, degree_cons in D1. lia. }
        assert (Sum : forall own G, own = of_high \/ own = of_low -> edge_sum (at_end own x G) (left s) = at_end own x G (hi e)
          (lo e)).
        { intros own G O. rewrite El, edge_sum_app, edge_sum_cons. unfold x. rewrite Lx.
          rewrite (edge_sum_untouched own a _ G O (proj1 Da)), (edge_sum_untouched own b _ G O (proj2 Da)). lia. }
        assert (W : exists g, 1 <= g /\ high_degree t + low_degree t = g /\ total_of t = Z.of_nat y * g).
        { rewrite E1, E3, E5. unfold rho, rho', su, su'. rewrite !Sum by auto.
          unfold at_end, of_high, of_low, of_one, unit_if, x.
          rewrite Lx. clear - Ee Nx U1 V1. clearbody y.
          assert (Hh : hi e = Z.max (Z.of_nat (here s)) (Z.of_nat y) /\ lo e = Z.min (Z.of_nat (here s)) (Z.of_nat y)).
          { destruct Ee as [-> | ->]; unfold hi, lo; cbn [fst snd]; lia. }
          destruct Hh as [-> ->].
          destruct (Nat.lt_ge_cases y (here s)).
          - exists u. rewrite Z.max_l, Z.min_r, Z.eqb_refl by lia. destruct (Z.eqb_spec (Z.of_nat y) (Z.of_nat (here s))); lia.
          - exists v. rewrite Z.max_r, Z.min_l, Z.eqb_refl by lia. destruct (Z.eqb_spec (Z.of_nat y) (Z.of_nat (here s))); lia.
            }
        destruct W as (g & G1 & Gd & Gt).
        assert (F0 : not_leaf t = 0) by (apply Flag; lia).
        assert (Wy : logit t (Vertex y) = Z.of_nat y * Z.of_nat y * g) by (unfold logit, square; rewrite Gd, Gt, F0, Ha; ring).
        apply next_token_is; [apply in_vocabulary; exact Re|].
        intros d Ne. destruct (in_dec token_eq d vocabulary) as [Hd|]; [left|right; assumption]. apply in_vocabulary in Hd.
        rewrite Wy.
        assert (1 <= Z.of_nat y * Z.of_nat y) by (apply square_positive; lia).
        assert (Yg : 1 * 1 <= Z.of_nat y * Z.of_nat y * g) by (apply Z.mul_le_mono_nonneg; lia).
        destruct d as [| |i|i| |].
        * unfold logit. rewrite Silent. pose proof (Scale (- silence) 0 ltac:(lia)). lia.
        * unfold logit. rewrite Silent. pose proof (Scale (- silence) 0 ltac:(lia)). lia.
        * unfold logit, square. rewrite Gd, Gt, F0, Ha. assert (i <> y) by congruence.
          set (I := Z.of_nat i) in *. set (Y := Z.of_nat y) in *.
          assert (Sq : 1 <= (I - Y) * (I - Y)) by (apply square_positive; lia).
          assert (1 * 1 <= (I - Y) * (I - Y) * g) by (apply Z.mul_le_mono_nonneg; lia). lia.
        * unfold logit, square. rewrite La. pose proof (Pointers i Hd).
          pose proof (Scale (2 * Z.of_nat i * (P + 1) - Z.of_nat i * Z.of_nat i - depth) 1 ltac:(lia)).
          pose proof (Scale (2 * Z.of_nat i * (P + 1) - Z.of_nat i * Z.of_nat i - depth) 0 ltac:(lia)). lia.
        * unfold logit. rewrite La, St.
          pose proof (Scale (slope + 1 - depth + slope * (3 * P - Z.of_nat (3 * m + 1) - 2)) 0 ltac:(lia)). lia.
        * unfold logit. rewrite La, St, <- Z.mul_add_distr_l. unfold time. rewrite Missing.
          pose proof (Scale (slope + 1 - depth + slope * (3 * P - Z.of_nat (3 * m + 1) - 2) + (1 + 3 * (Z.of_nat (climbs s) -
            Z.of_nat m))) 0
            ltac:(lia)). lia.
      + assert (Fl : L <= not_leaf t) by (apply Flag; lia).
        assert (P3 : L <= not_leaf t + L * (1 - has t)) by (rewrite Ha; lia).
        destruct (Nat.ltb_spec (pointers s) (S m)) as [Lt|Ge]; cbn [fst].
        * (* The next pointer. *)
          assert (W1 : logit t (Pointer (S (pointers s))) = L * ((P + 1) * (P + 1) - depth)).
          { unfold logit, square. rewrite La. replace (Z.of_nat (S (pointers s))) with (P + 1) by lia. ring. }
          assert (PP : 1 <= (P + 1) * (P + 1)) by (apply square_positive; lia).
          assert (S1 : slope * (3 * (P - Z.of_nat (S m))) <= slope * (-3)) by (apply Z.mul_le_mono_nonneg_l; lia).
          apply next_token_is; [apply in_vocabulary; lia|].
          intros d Ne. destruct (in_dec token_eq d vocabulary) as [Hd|]; [left|right; assumption]. apply in_vocabulary in Hd.
          rewrite W1.
          destruct d as [| |i|i| |].
          -- unfold logit. rewrite Silent. apply Scale. lia.
          -- unfold logit. rewrite Silent. apply Scale. lia.
          -- pose proof (Quiet Nl P3 i Hd). pose proof (Scale (- depth) ((P + 1) * (P + 1) - depth) ltac:(lia)). lia.
          -- unfold logit. rewrite La. unfold square. assert (i <> S (pointers s)) by congruence. set (I := Z.of_nat i) in *.
             apply Scale.
             assert (1 <= (I - (P + 1)) * (I - (P + 1))) by (apply square_positive; lia). lia.
          -- unfold logit. rewrite La, St. apply Scale. lia.
          -- unfold logit. rewrite La, St, <- Z.mul_add_distr_l. unfold time. rewrite Missing. apply Scale. lia.
        * (* The answer. *)
          assert (pointers s = S m) as Ep by lia.
          assert (Re : 3 * P - Z.of_nat (3 * m + 1) - 2 = 0) by lia.
          assert (Wn : logit t No = L * (slope + 1 - depth)) by (unfold logit; rewrite La, St, Re; ring).
          assert (Wy : logit t Yes = L * (slope + 1 - depth + (1 + 3 * (Z.of_nat (climbs s) - Z.of_nat m)))).
          { unfold logit. rewrite La, St, Re. unfold time. rewrite Missing. ring. }
          assert (Win : forall c, (c = Yes /\ climbs s = m \/ c = No /\ climbs s <> m) -> next_token t = c).
          { intros c Hc. apply next_token_is; [apply in_vocabulary; destruct Hc as [[-> _]|[-> _]]; exact I|].
            intros d Ne. destruct (in_dec token_eq d vocabulary) as [Hd|]; [left|right; assumption]. apply in_vocabulary in Hd.
            assert (Wc : exists z, slope + 1 - depth <= z /\ logit t c = L * z).
            { destruct Hc as [[-> Ec]|[-> Ec]]; [exists (slope + 1 - depth + 1)|exists (slope + 1 - depth)]; (split; [lia|]).
              - rewrite Wy, Ec. f_equal. lia.
              - exact Wn. }
            destruct Wc as (z & Z1 & Wc). rewrite Wc.
            destruct d as [| |i|i| |].
            - unfold logit. rewrite Silent. apply Scale. lia.
            - unfold logit. rewrite Silent. apply Scale. lia.
            - pose proof (Quiet Nl P3 i Hd). pose proof (Scale (- depth) z ltac:(lia)). lia.
            - unfold logit. rewrite La. unfold square. apply Scale. pose proof (Pointers i Hd). lia.
            - rewrite <- Wc. destruct Hc as [[-> Ec]|[-> _]]; [rewrite Wy, Wn, Ec; apply Scale; lia|congruence].
            - rewrite <- Wc. destruct Hc as [[-> _]|[-> Ec]]; [congruence|]. rewrite Wy, Wn. apply Scale. lia. }
          destruct (Nat.eqb_spec (climbs s) m); apply Win; auto.
  Qed.

  Lemma readable_before : forall t i, (i <= t)%nat -> readable t -> readable i.
  Proof.
    intros t i Hi (A & B & C & D). split; [exact A|]. split; [|split; [|unfold time in *; lia]]; intros j Hj.
    - intros J0. apply B; [lia|exact J0].
    - apply C. lia.
  Qed.

  Lemma signed_snoc : forall F t, signed_sum F (S t) = signed_sum F t + sign (S t) * F (high (S t)) (low (S t)).
  Proof. intros. unfold signed_sum. apply total_snoc. Qed.

  Lemma places_snoc : forall t, places_store t ->
    (stores (S t) 0 0 0 \/ exists h l g, stores (S t) h l g /\ (g = 1 \/ g = -1) /\ 1 <= l <= h /\ h <= nodes) ->
    places_store (S t).
  Proof. intros t P H i Hi. destruct (Nat.eq_dec i (S t)) as [->|]; [exact H|apply P; lia]. Qed.

  (** What is read after one more token of the thought. *)
  Lemma follows_next : forall t s s', follows t s -> holds (S m) es s -> snd (next (S m) m s) = Some s' ->
    w (S t) = fst (next (S m) m s) -> time (S t) < T -> follows (S t) s'.
  Proof.
    intros t s s' F Hs E Wt Lt. pose proof (holds_next (S m) es s s' Hs E) as (Hs' & _ & _).
    destruct F as [R P Z0 Su St Lb Ti Po]. pose proof R as (B0 & Bi & Lbi & _).
    pose proof Hs as (Am & _ & _ & Pn & _). pose proof sizes as (N2 & _).
    unfold next in *. destruct (Nat.eqb_spec (degree (left s) (here s)) 1) as [D1|D1].
    - destruct (leaf_edge _ _ D1) as (a & e & b & El & Fe & Wo & Oe). rewrite Fe in *. cbn [fst snd] in *. injection E as <-.
      destruct Po as [(Sb & _)|(P1 & Lx & Pk & Kt & Nb & k & Hk & Wk & Lk & Nk)].
      { exfalso. rewrite Sb in D1. cbn [begin left here] in D1. rewrite (among_zero (S m) es edges_among) in D1. discriminate. }
      destruct (ends_one _ _ Oe) as [Ee Nx]. set (y := other (here s) e) in *.
      assert (Re : (1 <= y <= S m)%nat /\ (1 <= here s <= S m)%nat).
      { assert (In e (left s)) as Hin by (rewrite El; apply in_elt). pose proof (Am e Hin).
        destruct Ee as [Ee|Ee]; rewrite Ee in *; cbn [fst snd] in *; lia. }
      assert (Ly : label (S t) = Z.of_nat y) by (unfold label; rewrite Wt; reflexivity).
      assert (R' : readable (S t)).
      { split; [exact B0|]. split; [|split; [|exact Lt]]; intros i Hi; destruct (Nat.eq_dec i (S t)) as [->|].
        - intros _. rewrite Wt. reflexivity.
        - apply Bi. lia.
        - rewrite Ly. unfold nodes. lia.
        - apply Lbi. lia. }
      assert (Np : forall i, (k < i <= S t)%nat -> is_pointer (w i) = 0).
      { intros i Hi. destruct (Nat.eq_dec i (S t)) as [->|]; [rewrite Wt; reflexivity|apply Nk; lia]. }
      destruct (last_is (S t) k R' ltac:(lia) Wk Np) as [_ Ha].
      pose proof (stores_climb t y R' Wt Lb (Bi t ltac:(lia) ltac:(lia)) Ha) as Sc. rewrite Lx in Sc.
      assert (Hh : hi e = Z.max (Z.of_nat y) (Z.of_nat (here s)) /\ lo e = Z.min (Z.of_nat y) (Z.of_nat (here s))).
      { clear - Ee. clearbody y. destruct Ee as [-> | ->]; unfold hi, lo; cbn [fst snd]; lia. }
      destruct Hh as [Eh Elo]. rewrite <- Eh, <- Elo in Sc. pose proof Sc as (S1 & S2 & _ & _ & _ & _ & S7).
      constructor; cbn [left pointers climbs here]; auto.
      + apply places_snoc; [exact P|]. right. exists (hi e), (lo e), (-1). unfold nodes. repeat split; try apply Sc; auto; lia.
      + intros G. rewrite signed_snoc, Su, S1, S2, S7, Wo, El, !edge_sum_app, edge_sum_cons. ring.
      + rewrite total_snoc, St, S7. lia.
      + rewrite Ly. lia.
      + unfold time in *. lia.
      + right. rewrite Ly. repeat split; auto; try lia. exists k. repeat split; auto; lia.
    - destruct (Nat.ltb_spec (pointers s) (S m)) as [Lp|]; cbn [fst snd] in *; [|discriminate].
      injection E as <-. assert (Lq : label (S t) = Z.of_nat (S (pointers s))) by (unfold label; rewrite Wt; reflexivity).
      assert (R' : readable (S t)).
      { split; [exact B0|]. split; [|split; [|exact Lt]]; intros i Hi; destruct (Nat.eq_dec i (S t)) as [->|].
        - intros _. rewrite Wt. reflexivity.
        - apply Bi. lia.
        - rewrite Lq. unfold nodes. lia.
        - apply Lbi. lia. }
      assert (Pt : is_pointer (w (S t)) = 1) by (rewrite Wt; reflexivity).
      destruct (last_is (S t) (S t) R' ltac:(lia) Pt ltac:(intros; lia)) as [_ Ha].
      assert (Bt : 0 <= bos (w t)) by (unfold bos; destruct (w t); lia).
      assert (Sn : stores (S t) 0 0 0).
      { apply stores_nothing; auto.
        - rewrite (proj1 (one_back _ R')). lia.
        - rewrite Wt, Ha. cbn [is_number]. lia. }
      pose proof Sn as (S1 & S2 & _ & _ & _ & _ & S7). constructor; cbn [left pointers climbs here]; auto.
      + apply places_snoc; auto.
      + intros G. rewrite signed_snoc, Su, S7. ring.
      + rewrite total_snoc, St, S7. cbn [Z.abs]. lia.
      + rewrite Lq. lia.
      + unfold time in *. lia.
      + right. split; [lia|]. split; [exact Lq|]. destruct Po as [(Sb & Np)|(P1 & Lx & Pk & Kt & Nb & _)].
        * rewrite Sb in Ti. unfold time in Ti. cbn [begin pointers climbs] in Ti. replace (3 * m + 1)%nat with (S t) by lia.
          repeat split; auto; try lia; [intros i Hi; apply Np; lia|]. exists (S t). repeat split; auto; intros; lia.
        * repeat split; auto; try lia. exists (S t). repeat split; auto; intros; lia.
  Qed.

  (** The prompt. *)
  Definition reads_prompt : Prop := w 0%nat = Bos /\ forall i, (i < m)%nat ->
    w (S (3 * i)) = Vertex (fst (nth i es (0%nat, 0%nat))) /\ w (S (S (3 * i))) = Between /\
    w (S (S (S (3 * i)))) = Vertex (snd (nth i es (0%nat, 0%nat))).

  Lemma thirds : forall j, (1 <= j)%nat -> exists i, j = S (3 * i) \/ j = S (S (3 * i)) \/ j = S (S (S (3 * i))).
  Proof.
    induction j as [|j IH]; intros H; [lia|]. destruct j as [|j]; [exists 0%nat; left; reflexivity|].
    destruct (IH ltac:(lia)) as (i & [E|[E|E]]); [exists i; lia|exists i; lia|exists (S i); lia].
  Qed.

  Lemma firstn_snoc : forall {A} (l : list A) i d, (i < length l)%nat -> firstn (S i) l = firstn i l ++ [nth i l d].
  Proof.
    induction l as [|x l IH]; intros i d H; [cbn [length] in H; lia|]. destruct i as [|i]; [reflexivity|].
    cbn [firstn nth app]. f_equal. apply IH. cbn [length] in H. lia.
  Qed.

  Lemma follows_prompt : reads_prompt -> follows (3 * m) (begin es).
  Proof.
    intros (B0 & Rd). pose proof sizes as (N2 & T7 & TE & TL).
    assert (Range : forall i, (i < m)%nat -> 1 <= Z.of_nat (fst (nth i es (0%nat, 0%nat))) <= nodes /\
      1 <= Z.of_nat (snd (nth i es (0%nat, 0%nat))) <= nodes).
    { intros i Hi. pose proof (edges_among _ (nth_In es (0%nat, 0%nat) Hi)). unfold nodes. lia. }
    assert (Each : forall j, (j <= 3 * m)%nat -> j <> 0%nat -> bos (w j) = 0 /\ is_pointer (w j) = 0 /\ 0 <= label j <= nodes).
    { intros j Hj J0. destruct (thirds j ltac:(lia)) as (i & [Ej|[Ej|Ej]]); subst j;
        destruct (Rd i ltac:(lia)) as (W1 & W2 & W3);
        destruct (Range i ltac:(lia)); unfold label; rewrite ?W1, ?W2, ?W3; cbn [bos is_pointer vertex]; lia. }
    assert (R : readable (3 * m)).
    { split; [exact B0|]. split; [|split].
      - intros i Hi I0. apply Each; auto.
      - intros i Hi. destruct (Nat.eq_dec i 0) as [->|I0]; [unfold label; rewrite B0; cbn [vertex]; lia|apply Each; auto].
      - unfold time. rewrite TE. unfold nodes. lia. }
    assert (Np : forall i, (i <= 3 * m)%nat -> is_pointer (w i) = 0).
    { intros i Hi. destruct (Nat.eq_dec i 0) as [->|I0]; [rewrite B0; reflexivity|apply Each; auto]. }
    assert (Has : forall j, (j <= 3 * m)%nat -> has j = 0).
    { intros j Hj. apply (no_pointer j); [apply (readable_before (3 * m)); auto|intros i Hi; apply Np; lia]. }
    assert (Z0 : stores 0 0 0 0).
    { assert (R0 : readable 0) by (apply (readable_before (3 * m)); [lia|exact R]). apply stores_nothing; auto.
      - rewrite (proj1 (one_back 0 R0)). lia.
      - rewrite B0, (Has 0%nat) by lia. cbn [is_number]. lia. }
    assert (Grow : forall i, (i <= m)%nat -> places_store (3 * i) /\ (forall F,
      signed_sum F (3 * i) = edge_sum F (firstn i es)) /\
      total (seq 0 (S (3 * i))) (fun j => Z.abs (sign j)) = Z.of_nat i /\ ((1 <= i)%nat -> 1 <= label (3 * i))).
    { induction i as [|i IH]; intros Hi.
      - change (3 * 0)%nat with 0%nat. pose proof Z0 as (_ & _ & _ & _ & _ & _ & S7). split; [|split; [|split; [|lia]]].
        + intros j Hj. replace j with 0%nat by lia. left. exact Z0.
        + intros F. unfold signed_sum. cbn [seq total fold_right]. rewrite S7. reflexivity.
        + cbn [seq total fold_right]. rewrite S7. reflexivity.
      - destruct (IH ltac:(lia)) as (I1 & I2 & I3 & I4). destruct (Rd i ltac:(lia)) as (W1 & W2 & W3).
        destruct (Range i ltac:(lia)) as [Ru Rv]. set (e := nth i es (0%nat, 0%nat)) in *.
        replace (3 * S i)%nat with (S (S (S (3 * i)))) by lia. set (j := (3 * i)%nat) in *.
        assert (RJ : forall k, (k <= S (S (S j)))%nat -> readable k) by (intros k Hk; apply (readable_before (3 * m));
          [lia|exact R]).
        assert (HJ : forall k, (k <= S (S (S j)))%nat -> has k = 0) by (intros k Hk; apply Has; lia).
        assert (L1 : label (S j) = Z.of_nat (fst e)) by (unfold label; rewrite W1; reflexivity).
        assert (Bj : 1 <= label j + bos (w j)).
        { destruct i as [|i']; [unfold j, label; change (3 * 0)%nat with 0%nat; rewrite B0; cbn; lia|].
          specialize (I4 ltac:(lia)).
          assert (0 <= bos (w j)) by (unfold bos; destruct (w j); lia). lia. }
        assert (N1 : stores (S j) 0 0 0).
        { apply stores_nothing; [apply RJ; lia|rewrite (proj1 (one_back _ (RJ (S j) ltac:(lia)))); exact Bj|].
          rewrite W1, HJ by lia. cbn [is_number]. lia. }
        assert (N2' : stores (S (S j)) 0 0 0).
        { apply stores_nothing; [apply RJ; lia|rewrite (proj1 (one_back _ (RJ (S (S j)) ltac:(lia))))|].
          - rewrite L1, W1. cbn [bos]. lia.
          - rewrite W2, HJ by lia. cbn [is_number]. lia. }
        pose proof (stores_prompt (S j) (snd e) (RJ (S (S (S j))) (le_n _)) W3 W2 (HJ (S (S (S j))) (le_n _))) as N3.
        rewrite L1 in N3.
        assert (Hh : hi e = Z.max (Z.of_nat (snd e)) (Z.of_nat (fst e)) /\ lo e = Z.min (Z.of_nat (snd e)) (Z.of_nat (fst e))).
        { unfold hi, lo. generalize (fst e), (snd e). clear. intros. lia. }
        destruct Hh as [Eh El]. rewrite <- Eh, <- El in N3.
        pose proof N1 as (_ & _ & _ & _ & _ & _ & S1). pose proof N2' as (_ & _ & _ & _ & _ & _ & S2).
        pose proof N3 as (A1 & A2 & _ & _ & _ & _ & S3). split; [|split; [|split]].
        + apply places_snoc; [apply places_snoc; [apply places_snoc; [exact I1|left; exact N1]|left; exact N2']|].
          right. exists (hi e), (lo e), 1. repeat split; try apply N3; auto; lia.
        + intros F. rewrite !signed_snoc, I2, S1, S2, S3, A1, A2. rewrite (firstn_snoc es i (0%nat, 0%nat)) by lia. fold e.
          rewrite edge_sum_app, edge_sum_cons. cbn [edge_sum fold_right]. ring.
        + rewrite !(total_snoc (S _)), I3, S1, S2, S3. cbn [Z.abs]. lia.
        + intros _. unfold label. rewrite W3. cbn [vertex]. lia. }
    destruct (Grow m (le_n m)) as (G1 & G2 & G3 & G4). constructor; cbn [begin left pointers climbs here]; auto.
    - intros G. rewrite G2, firstn_all. reflexivity.
    - rewrite G3. lia.
    - unfold time. lia.
  Qed.

  (** The network decides whether the edges form a tree. It reads the prompt and writes its thought token by token. After at
      most 2 (m + 1) - 1 tokens it writes the right answer. *)
  Theorem peeling_right : reads_prompt ->
    (forall t, (3 * m <= t < 3 * m + 2 * S m)%nat -> w (S t) = next_token t) ->
    exists k, (k <= 2 * S m - 1)%nat /\ w (S (3 * m + k)) = (if tree (flat es) then Yes else No) /\
      forall i, (i < k)%nat -> w (S (3 * m + i)) <> Yes /\ w (S (3 * m + i)) <> No.
  Proof.
    intros Rp Wr. pose proof sizes as (N2 & T7 & TE & TL).
    assert (G : forall fuel t s, follows t s -> holds (S m) es s -> (length (left s) + (S m - pointers s) < fuel)%nat ->
      (3 * m <= t)%nat -> (t + fuel <= 3 * m + 2 * S m)%nat ->
      exists k, (k < fuel)%nat /\ w (S (t + k)) = (if tree (flat es) then Yes else No) /\
        forall i, (i < k)%nat -> w (S (t + i)) <> Yes /\ w (S (t + i)) <> No).
    { induction fuel as [|fuel IH]; intros t s F Hs Lf Ht Ft; [lia|].
      pose proof (peeling_step t s F Hs) as Ps. assert (Wt : w (S t) = fst (next (S m) m s)) by (rewrite Wr by lia; exact Ps).
      destruct (snd (next (S m) m s)) as [s'|] eqn:E.
      - destruct (holds_next (S m) es s s' Hs E) as (Hs' & _ & Less).
        assert (F' : follows (S t) s') by (apply (follows_next t s s' F Hs E Wt); unfold time, nodes in *; lia).
        destruct (IH (S t) s' F' Hs') as (k & Hk & Wk & Before); try lia.
        exists (S k). replace (t + S k)%nat with (S t + k)%nat by lia. split; [lia|split; [exact Wk|]].
        intros i Hi. destruct i as [|i].
        + rewrite Nat.add_0_r, Wt. unfold next in *. destruct (degree (left s) (here s) =? 1)%nat.
          * destruct (find (touches (here s)) (left s)); [split; discriminate|discriminate].
          * destruct (pointers s <? S m)%nat; [split; discriminate|discriminate].
        + replace (t + S i)%nat with (S t + i)%nat by lia. apply Before. lia.
      - exists 0%nat. rewrite Nat.add_0_r, Wt. split; [lia|]. split; [|intros; lia].
        apply (holds_end (S m) es s); auto. lia. }
    destruct (G (2 * S m)%nat (3 * m)%nat (begin es) (follows_prompt Rp)) as (k & Hk & Wk & Before); try lia.
    - repeat split; try apply edges_among; cbn; auto; lia.
    - cbn [begin left pointers]. lia.
    - exists k. split; [lia|]. split; [exact Wk|exact Before].
  Qed.
End Network.
