(** Two attention layers decide equality at every N, and so two layers have no short protocol.

    In words. A model of two layers with one head each reads N = 2 h symbols of m bits. In layer 1 position t looks up its
    partner: t - h in the second half, and t itself in the first. It flags a difference between the two symbols. Layer 2
    averages the flags, and the answer is "unequal" if the average is above 0. It is right for every h and every input, if L
    >= N ([two_layers_right]).
    - Every protocol between two parties with one half each that gives the answers of this model costs h = N/2 bits
      ([two_layers_cost]). So no protocol like that of Theorem 4, with fewer bits, exists for two layers.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 6 and Corollary 13.1, appendices F.2 and F.4.
    In Python: [equality-two-layers] with the code `parabola`, and [two-layer-no-short-protocol].

    The hypotheses, for a real model: those of [Parabola] for the table of exponentials, and L >= N. Weights are rounded down.
    Each layer is [forward] of [OneLayer], at the position t with the positions up to t. The flag is any function of the
    layer's output and of its own symbol, as a feed-forward part computes it. *)

From Coq Require Import List Arith Lia ZArith Bool.
From Seqsep Require Import Words Protocols OneLayer OneLayerBounds Parabola.
Import ListNotations.
Open Scope Z_scope.

Lemma existsb_same : forall {A} (a b : A -> bool) l, (forall x, In x l -> a x = b x) -> existsb a l = existsb b l.
Proof.
  induction l as [|x l IH]; intros E; simpl; [reflexivity|].
  rewrite (E x (or_introl eq_refl)), IH; auto. intros y Hy. apply E. right. exact Hy.
Qed.

Section TwoLayers.
  Variables (h m : nat) (L eta : Z) (expo : Z -> Z).
  Hypothesis steps : 5 <= L.
  Hypothesis eta_positive : 0 <= eta.
  Hypothesis expo_bounded : forall x, 0 <= expo x <= L.
  Hypothesis expo_zero : expo 0 = L.
  Hypothesis expo_falls : forall d, (1 <= d)%nat -> expo (distance_score L eta (Z.of_nat d)) * 7 ^ Z.of_nat d <= L.
  Hypothesis a_half : (1 <= h)%nat.
  Hypothesis fine_grid : 2 * Z.of_nat h <= L.

  Definition partner (t : nat) : nat := if (t <? h)%nat then t else (t - h)%nat.

  (** Layer 1 at the position t. The question is the partner, and the bits of the own symbol. *)
  Definition flag (symbols : nat -> nat -> bool) (t : nat) : bool :=
    forward (nat * (nat -> bool)) bool (S t) 1 m (L * L)
      (fun own => partner (fst own) :: map (fun j => if snd own j then 1%nat else 0%nat) (seq 0 m))
      (fun qs _ i _ => distance_score L eta (Z.of_nat i - Z.of_nat (hd 0%nat qs)))
      (fun _ _ j _ one => if snd one j then L else 0)
      expo (floor_weight L)
      (fun qs sums => existsb (fun j => xorb (L * L <? 2 * nth j sums 0) (nth j (tl qs) 0 =? 1)%nat) (seq 0 m))
      (fun i => (i, symbols i)).

  (** Layer 2 at the last position: all scores are 0. *)
  Definition unequal (symbols : nat -> nat -> bool) : bool :=
    forward bool bool (2 * h) 1 1 (L * L) (fun _ => []) (fun _ _ _ _ => 0) (fun _ _ _ _ one => if one then L else 0)
      expo (floor_weight L) (fun _ sums => 0 <? hd 0 sums) (flag symbols).

  Lemma partner_before : forall t, (partner t <= t)%nat.
  Proof. intros t. unfold partner. destruct (t <? h)%nat; lia. Qed.

  Lemma flag_right : forall symbols t,
    flag symbols t = existsb (fun j => xorb (symbols (partner t) j) (symbols t j)) (seq 0 m).
  Proof.
    intros symbols t. unfold flag, forward. replace (S t - 1)%nat with t by lia. cbn [fst snd hd tl].
    set (qs := partner t :: _).
    assert (Sums : forall j, (j < m)%nat -> nth j (map (value_sum (nat * (nat -> bool)) (S t) (L * L)
        (fun qs _ i _ => distance_score L eta (Z.of_nat i - Z.of_nat (hd 0%nat qs)))
        (fun _ _ j _ one => if snd one j then L else 0) expo (floor_weight L) qs (fun i => (i,
          symbols i))) (coordinates 1 m)) 0 =
      total (seq 0 (S t)) (fun i => floor_weight L (expo (distance_score L eta (Z.of_nat i - Z.of_nat (partner t))))
        (total (seq 0 (S t)) (fun i => expo (distance_score L eta (Z.of_nat i - Z.of_nat (partner t))))) *
        (if symbols i j then L else 0))).
    { intros j Hj. unfold coordinates. cbn [seq list_prod]. rewrite app_nil_r, map_map.
      match goal with |- nth j (map ?f _) 0 = _ => set (sum_of := f) end.
      rewrite (nth_indep _ 0 (sum_of 0%nat)) by (rewrite map_length, seq_length; exact Hj).
      rewrite map_nth, seq_nth by exact Hj. unfold sum_of, value_sum, normaliser, exponentials, maximum, qs. cbn [fst snd hd].
      rewrite greatest_score; auto using partner_before; try lia.
      rewrite (total_ext _ (fun i => expo (distance_score L eta (Z.of_nat i - Z.of_nat (partner t)) - 0))
        (fun i => expo (distance_score L eta (Z.of_nat i - Z.of_nat (partner t))))) by (intros; rewrite Z.sub_0_r; reflexivity).
      apply total_ext. intros i _. rewrite Z.sub_0_r. reflexivity. }
    apply existsb_same. intros j Hj. apply in_seq in Hj. rewrite Sums by lia.
    rewrite (bit_read t L eta expo steps expo_bounded expo_zero expo_falls symbols (partner t) (partner_before t) j
      (fun i => if symbols i j then L else 0)); [|intros i _; destruct (symbols i j); lia|reflexivity].
    f_equal. unfold qs. cbn [tl]. set (bit := fun j : nat => if symbols t j then 1%nat else 0%nat).
    rewrite (nth_indep _ 0%nat (bit 0%nat)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. unfold bit.
    simpl. destruct (symbols t j); reflexivity.
  Qed.

  Lemma uniform_total : forall l c, total l (fun _ => c) = Z.of_nat (length l) * c.
  Proof. induction l as [|i l IH]; intros c; cbn [total fold_right length]; [lia|]. unfold total in IH. rewrite IH. lia. Qed.

  Lemma some_flag : forall l (a : nat -> bool) w, 1 <= w ->
    (0 <? total l (fun i => w * (if a i then L else 0))) = existsb a l.
  Proof.
    intros l a w Hw. induction l as [|i l IH]; [reflexivity|]. cbn [total fold_right existsb].
    assert (P : 0 <= total l (fun i => w * (if a i then L else 0))).
    { apply total_nonneg. intros j. apply Z.mul_nonneg_nonneg; [lia|]. destruct (a j); lia. }
    destruct (a i); simpl.
    - apply Z.ltb_lt. assert (1 <= w * L) by nia. unfold total in *. lia.
    - rewrite Z.mul_0_r. exact IH.
  Qed.

  Lemma unequal_flags : forall symbols, unequal symbols = existsb (flag symbols) (seq 0 (2 * h)).
  Proof.
    intros symbols. unfold unequal, forward, coordinates. cbn [seq list_prod map hd app].
    unfold value_sum, normaliser, exponentials, maximum. cbn [fst snd].
    assert (M : greatest (- (L * L)) (seq 0 (2 * h)) (fun _ => 0) = 0).
    { destruct h as [|k]; [lia|]. replace (2 * S k)%nat with (S (2 * k + 1)) by lia. cbn [seq greatest fold_right].
      assert (G : forall l, fold_right (fun (_ : nat) s => Z.max 0 s) (- (L * L)) l <= 0) by (induction l; simpl; nia).
      specialize (G (seq 1 (2 * k + 1))). lia. }
    rewrite M, Z.sub_0_r, expo_zero, uniform_total, seq_length.
    apply some_flag. unfold floor_weight. rewrite (Z.mul_comm (Z.of_nat (2 * h))), Z.div_mul_cancel_l by lia.
    apply Z.div_le_lower_bound; lia.
  Qed.

  (** The model is right: it answers "unequal" exactly if some symbol differs from its partner. *)
  Theorem two_layers_right : forall symbols,
    unequal symbols = false <-> forall t j, (t < h)%nat -> (j < m)%nat -> symbols t j = symbols (h + t)%nat j.
  Proof.
    intros symbols. rewrite unequal_flags. split.
    - intros E t j Ht Hj. destruct (bool_dec (symbols t j) (symbols (h + t)%nat j)) as [|Ne]; auto. exfalso.
      enough (existsb (flag symbols) (seq 0 (2 * h)) = true) by congruence. apply existsb_exists. exists (h + t)%nat.
      split; [apply in_seq; lia|]. rewrite flag_right. apply existsb_exists. exists j. split; [apply in_seq; lia|].
      unfold partner. destruct (Nat.ltb_spec (h + t) h); [lia|]. replace (h + t - h)%nat with t by lia.
      destruct (symbols t j), (symbols (h + t)%nat j); auto; contradiction.
    - intros E. apply not_true_is_false. intros X. apply existsb_exists in X. destruct X as (t & Ht & F). apply in_seq in Ht.
      rewrite flag_right in F. apply existsb_exists in F. destruct F as (j & Hj & F). apply in_seq in Hj. unfold partner in F.
      destruct (Nat.ltb_spec t h); [rewrite xorb_nilpotent in F; discriminate|].
      specialize (E (t - h)%nat j ltac:(lia) ltac:(lia)). replace (h + (t - h))%nat with t in E by lia.
      rewrite E, xorb_nilpotent in F. discriminate.
  Qed.
End TwoLayers.

Section NoShortProtocol.
  Variables (h : nat) (L eta : Z) (expo : Z -> Z).
  Hypothesis steps : 5 <= L.
  Hypothesis eta_positive : 0 <= eta.
  Hypothesis expo_bounded : forall x, 0 <= expo x <= L.
  Hypothesis expo_zero : expo 0 = L.
  Hypothesis expo_falls : forall d, (1 <= d)%nat -> expo (distance_score L eta (Z.of_nat d)) * 7 ^ Z.of_nat d <= L.
  Hypothesis a_half : (1 <= h)%nat.
  Hypothesis fine_grid : 2 * Z.of_nat h <= L.

  (** The answer of the model with one bit a symbol. Alice has the first half, Bob the second. *)
  Definition model (x y : list nat) : bool := unequal h 1 L eta expo (fun i _ => (nth i (x ++ y) 0 =? 1)%nat).

  Lemma model_right : forall x y, In x (words (seq 0 2) h) -> In y (words (seq 0 2) h) -> model x y = false <-> x = y.
  Proof.
    intros x y Hx Hy. apply in_words in Hx, Hy. destruct Hx as [Lx Rx], Hy as [Ly Ry].
    unfold model. rewrite two_layers_right by auto. split.
    - intros E. apply (nth_ext x y 0%nat 0%nat); [congruence|]. intros i Hi.
      specialize (E i 0%nat ltac:(lia) ltac:(lia)). simpl in E. rewrite app_nth1, app_nth2 in E by lia.
      replace (h + i - length x)%nat with i in E by lia.
      assert (Hi' : (i < length y)%nat) by lia.
      pose proof (Rx (nth i x 0%nat) (nth_In _ _ Hi)) as Bx. pose proof (Ry (nth i y 0%nat) (nth_In _ _ Hi')) as By.
      apply in_seq in Bx, By. destruct (Nat.eqb_spec (nth i x 0%nat) 1), (Nat.eqb_spec (nth i y 0%nat) 1);
        try discriminate; lia.
    - intros <- t j Ht _. rewrite app_nth1, app_nth2 by lia. replace (h + t - length x)%nat with t by lia. reflexivity.
  Qed.

  Lemma model_fools : is_fooling _ _ _ model false (diagonal h 2).
  Proof.
    split.
    - intros s Hs. apply in_map_iff in Hs. destruct Hs as (w & <- & Hw). apply model_right; auto.
    - intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'. destruct Hs as (w & <- & Hw), Hs' as (w' & <- & Hw').
      left. simpl. intros E. apply model_right in E; auto. subst. contradiction.
  Qed.

  Theorem two_layers_cost : forall p out,
    keeps_to_range _ _ p -> bob_learns_on _ _ _ model (is_half h 2) (is_half h 2) p out -> (h <= cost _ _ p)%nat.
  Proof.
    intros p out K B. apply (Nat.pow_le_mono_r_iff 2); [lia|]. rewrite <- (diagonal_length h 2).
    eapply fooling_set_on; eauto using diagonal_inside, model_fools, diagonal_nodup.
  Qed.

  (** If both learn the answer, one bit more. *)
  Theorem two_layers_cost_both : forall p out out', keeps_to_range _ _ p ->
    bob_learns_on _ _ _ model (is_half h 2) (is_half h 2) p out ->
    alice_learns_on _ _ _ model (is_half h 2) (is_half h 2) p out' -> (h + 1 <= cost _ _ p)%nat.
  Proof.
    intros p out out' K B A. rewrite Nat.add_1_r. apply (Nat.pow_lt_mono_r_iff 2); [lia|]. rewrite <- (diagonal_length h 2).
    assert (W : forall a, (a < 2)%nat -> is_half h 2 (repeat a h)) by (intros; apply repeated_is_half; assumption).
    eapply (fooling_set_both_on _ _ _ model (is_half h 2) (is_half h 2)) with (x := repeat 0%nat h) (y := repeat 1%nat h);
      eauto using diagonal_inside, model_fools, diagonal_nodup.
    intros E. apply model_right in E; [|apply W; lia|apply W; lia]. destruct h; [lia|]. discriminate.
  Qed.
End NoShortProtocol.

(** The hypotheses are met by hard attention, for words of four bits: L = 8, eta = 1. *)
Example two_layers_run : let expo := fun x => if x =? 0 then 8 else 0 in
  model 2 8 1 expo [0; 1]%nat [0; 1]%nat = false /\ model 2 8 1 expo [0; 1]%nat [1; 1]%nat = true.
Proof. split; vm_compute; reflexivity. Qed.

(** With them the model is right, and a protocol of two bits shows that the lower bounds are not vacuous. *)
Example two_layers_meet : let expo := fun x => if x =? 0 then 8 else 0 in
  (unequal 1 1 8 1 expo (fun _ _ => true) = false <->
    forall t j, (t < 1)%nat -> (j < 1)%nat -> (fun _ _ : nat => true) t j = true) /\ (1 <= 2)%nat /\ (1 + 1 <= 2)%nat.
Proof.
  cbv zeta. destruct hard_attention as (B & Z0 & F). set (expo := fun x => if x =? 0 then 8 else 0) in *.
  set (say := fun x : list nat => Nat.min (hd 0%nat x) 1).
  set (p := Alice (list nat) (list nat) 2 say (fun _ => Bob _ _ 2 say (fun _ => Done _ _))).
  set (out := fun (_ : list nat) t => negb (hd 0 t =? hd 0 (tl t))%nat).
  assert (K : keeps_to_range _ _ p) by (split; [intros x; unfold say; lia|intros i _; split; [intros x; unfold say; lia|intros
    j _; exact I]]).
  assert (L : forall x y, is_half 1 2 x -> is_half 1 2 y -> out y (transcript _ _ p x y) = model 1 8 1 expo x y).
  { intros x y [<-|[<-|[]]] [<-|[<-|[]]]; vm_compute; reflexivity. }
  split; [apply (two_layers_right 1 1 8 1 expo); auto; lia|split].
  - apply (two_layers_cost 1 8 1 expo ltac:(lia) ltac:(lia) B Z0 F ltac:(lia) ltac:(lia) p out); auto.
  - apply (two_layers_cost_both 1 8 1 expo ltac:(lia) ltac:(lia) B Z0 F ltac:(lia) ltac:(lia) p out out); auto.
Qed.
