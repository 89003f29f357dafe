(** Channels of a recurrence that are monotone and rounded have short periods on a run of one token.

    In words. A channel has one number, one of G values. On a run of one token it applies one map again and again.
    - If the map is nondecreasing, the channel stands still from token G - 1 on. So a layer of such channels, with any
      read-out, does not give the parity of 1^n for all n <= G. One channel and a read-out give it for all n <= G - 1.
    - If the map is nonincreasing or nondecreasing, the channel has period 1 or 2 from token 2 (G - 1) on. So no read-out
      gives n modulo M for M >= 3 and all n <= 2 G.

    Source: own; compare Sarrof et al. 2024 (arXiv:2405.17394) and Grazzi et al. 2024 (arXiv:2411.12537).
    In Python: [nonnegative-diagonal-parity] and [diagonal-periods].

    The hypotheses, for a real model. The values are numbered in their order, so a channel is a map of the numbers below G.
    For a step h <- R(a h + b) with a monotone rounding R, the map is nondecreasing if a >= 0, and nonincreasing if a <= 0
    ([affine_step_monotone], over the rational numbers). *)

From Coq Require Import List Arith Lia QArith Qround.
Import ListNotations.
Local Open Scope nat_scope.

Definition nondecreasing (f : nat -> nat) : Prop := forall x y, x <= y -> f x <= f y.
Definition nonincreasing (f : nat -> nat) : Prop := forall x y, x <= y -> f y <= f x.

Lemma iter_succ : forall n (f : nat -> nat) x, Nat.iter (S n) f x = f (Nat.iter n f x).
Proof. reflexivity. Qed.

(** A nondecreasing map of G values stands still after G - 1 steps. *)
Theorem monotone_run_stops : forall G f x,
  (forall v, v < G -> f v < G) -> nondecreasing f -> x < G -> Nat.iter G f x = Nat.iter (G - 1) f x.
Proof.
  intros G f x Hr Hm Hx.
  assert (Hlt : forall n, Nat.iter n f x < G) by (induction n; simpl; auto).
  assert (Stay : forall n, f (Nat.iter n f x) = Nat.iter n f x -> n <= G - 1 -> Nat.iter G f x = Nat.iter (G - 1) f x).
  { intros n E Hn.
    assert (S : forall k, Nat.iter (k + n) f x = Nat.iter n f x) by (induction k; simpl; auto; rewrite IHk; exact E).
    assert (T : forall m, n <= m -> Nat.iter m f x = Nat.iter n f x).
    { intros m Hm'. rewrite <- (S (m - n)). f_equal. lia. }
    transitivity (Nat.iter n f x); [|symmetry]; apply T; lia. }
  destruct (le_lt_dec x (f x)) as [Up|Down].
  - (* The run never falls. If it does not stand still, it rises by at least 1 at each step. *)
    assert (Inc : forall n, Nat.iter n f x <= f (Nat.iter n f x)) by (induction n; simpl; auto).
    assert (D : forall n, (exists k, k < n /\ f (Nat.iter k f x) = Nat.iter k f x) \/ n + x <= Nat.iter n f x).
    { induction n as [|n [(k & Hk & E)|H]]; simpl; [right; lia|left; exists k; auto|].
      specialize (Inc n). destruct (Nat.eq_dec (f (Nat.iter n f x)) (Nat.iter n f x)) as [E|N].
      - left. exists n. auto.
      - right. lia. }
    destruct (D G) as [(k & Hk & E)|H]; [apply (Stay k E); lia|]. specialize (Hlt G). lia.
  - assert (Dec : forall n, f (Nat.iter n f x) <= Nat.iter n f x).
    { induction n; simpl; [lia|]. apply Hm. exact IHn. }
    assert (D : forall n, (exists k, k < n /\ f (Nat.iter k f x) = Nat.iter k f x) \/ Nat.iter n f x + n <= x).
    { induction n as [|n [(k & Hk & E)|H]]; simpl; [right; lia|left; exists k; auto|].
      specialize (Dec n). destruct (Nat.eq_dec (f (Nat.iter n f x)) (Nat.iter n f x)) as [E|N].
      - left. exists n. auto.
      - right. lia. }
    destruct (D G) as [(k & Hk & E)|H]; [apply (Stay k E); lia|]. lia.
Qed.

(** A layer: each channel has a map and a start. Its state after n ones. *)
Definition after_ones (layer : list ((nat -> nat) * nat)) (n : nat) : list nat :=
  map (fun c => Nat.iter n (fst c) (snd c)) layer.

Definition channels_below (G : nat) (layer : list ((nat -> nat) * nat)) : Prop :=
  forall c, In c layer -> snd c < G /\ forall v, v < G -> fst c v < G.

Theorem nonnegative_diagonal_parity : forall G layer (read : list nat -> bool),
  1 <= G -> channels_below G layer -> (forall c, In c layer -> nondecreasing (fst c)) ->
  exists n, n <= G /\ read (after_ones layer n) <> Nat.odd n.
Proof.
  intros G layer read HG Hb Hm.
  assert (E : after_ones layer G = after_ones layer (G - 1)).
  { unfold after_ones. apply map_ext_in. intros c Hc. destruct (Hb c Hc). apply monotone_run_stops; auto. }
  destruct (Bool.bool_dec (read (after_ones layer G)) (Nat.odd G)) as [R|R].
  - exists (G - 1). split; [lia|]. rewrite <- E, R.
    destruct G as [|g]; [lia|]. replace (S g - 1) with g by lia.
    rewrite Nat.odd_succ, <- Nat.negb_odd. destruct (Nat.odd g); discriminate.
  - exists G. split; auto.
Qed.

(** One channel attains it: it counts up to G - 1. *)
Definition counter (G v : nat) : nat := Nat.min (S v) (G - 1).

Theorem nonnegative_diagonal_parity_upper : forall G n, 1 <= G -> n <= G - 1 ->
  channels_below G [(counter G, 0)] /\ nondecreasing (counter G) /\
  Nat.odd (hd 0 (after_ones [(counter G, 0)] n)) = Nat.odd n.
Proof.
  intros G n HG Hn. repeat split.
  - destruct H as [<-|[]]. simpl. lia.
  - destruct H as [<-|[]]. simpl. unfold counter. intros. lia.
  - unfold nondecreasing, counter. intros. lia.
  - simpl. f_equal. revert Hn. induction n as [|n IH]; intros Hn; auto.
    rewrite iter_succ, IH by lia. unfold counter. lia.
Qed.

Lemma square_nondecreasing : forall f, nondecreasing f \/ nonincreasing f -> nondecreasing (fun x => f (f x)).
Proof. intros f [H|H] x y Hxy; auto. Qed.

Lemma iter_double : forall n (f : nat -> nat) x, Nat.iter (2 * n) f x = Nat.iter n (fun v => f (f v)) x.
Proof.
  induction n as [|n IH]; intros; auto. replace (2 * S n) with (S (S (2 * n))) by lia.
  rewrite !iter_succ, IH. reflexivity.
Qed.

(** Real diagonal channels: the states after 2 (G - 1) ones and after two more are the same. *)
Theorem diagonal_periods : forall G layer,
  1 <= G -> channels_below G layer -> (forall c, In c layer -> nondecreasing (fst c) \/ nonincreasing (fst c)) ->
  after_ones layer (2 * (G - 1) + 2) = after_ones layer (2 * (G - 1)).
Proof.
  intros G layer HG Hb Hm. unfold after_ones. apply map_ext_in. intros c Hc. destruct (Hb c Hc) as [Hs Hr].
  replace (2 * (G - 1) + 2) with (2 * G) by lia. rewrite !iter_double.
  apply monotone_run_stops; auto. apply square_nondecreasing. auto.
Qed.

(** So no read-out gives n modulo M for M >= 3 at all lengths up to 2 G. *)
Theorem diagonal_modulo : forall G layer (read : list nat -> nat) M,
  1 <= G -> 3 <= M -> channels_below G layer -> (forall c, In c layer -> nondecreasing (fst c) \/ nonincreasing (fst c)) ->
  exists n, n <= 2 * G /\ read (after_ones layer n) <> n mod M.
Proof.
  intros G layer read M HG HM Hb Hm. pose proof (diagonal_periods G layer HG Hb Hm) as E.
  set (n := 2 * (G - 1)) in *.
  destruct (Nat.eq_dec (read (after_ones layer n)) (n mod M)) as [R|R]; [|exists n; split; [unfold n; lia|auto]].
  exists (n + 2). split; [unfold n; lia|]. rewrite E, R. intros C.
  pose proof (Nat.div_mod n M ltac:(lia)) as D. pose proof (Nat.div_mod (n + 2) M ltac:(lia)) as D'.
  rewrite <- C in D'. assert (M * ((n + 2) / M) = M * (n / M) + 2) as F by lia.
  assert ((n + 2) / M > n / M) by nia. nia.
Qed.

(** Period 2 occurs: a = -1 on two values. *)
Example period_two : after_ones [((fun v => 1 - v), 0)] 1 <> after_ones [((fun v => 1 - v), 0)] 2 /\
  nonincreasing (fun v => 1 - v).
Proof. split; [discriminate|]. unfold nonincreasing. intros. lia. Qed.

(** The hypothesis for h <- R(a h + b): [value] numbers the values in their order, and R is a monotone rounding. *)
Theorem affine_step_monotone : forall (value : nat -> Q) (R : Q -> nat) (a b : Q),
  (forall i j, i <= j -> (value i <= value j)%Q) -> (forall u v, (u <= v)%Q -> R u <= R v) ->
  ((0 <= a)%Q -> nondecreasing (fun i => R (a * value i + b)%Q)) /\
  ((a <= 0)%Q -> nonincreasing (fun i => R (a * value i + b)%Q)).
Proof.
  intros value R a b Hv HR. split; intros Ha x y Hxy; apply HR; apply Qplus_le_compat; try apply Qle_refl.
  - rewrite (Qmult_comm a (value x)), (Qmult_comm a (value y)). apply Qmult_le_compat_r; auto.
  - specialize (Hv x y Hxy).
    assert (E : (- a * value x <= - a * value y)%Q).
    { rewrite (Qmult_comm (- a) (value x)), (Qmult_comm (- a) (value y)). apply Qmult_le_compat_r; auto.
      apply (Qopp_le_compat a 0) in Ha. exact Ha. }
    apply Qopp_le_compat in E. setoid_replace (a * value y)%Q with (- (- a * value y))%Q by ring.
    setoid_replace (a * value x)%Q with (- (- a * value x))%Q by ring. exact E.
Qed.

(** A channel that counts to G - 1 = 2 and then stops meets the hypotheses. *)
Example counter_of_three : Nat.iter 3 (counter 3) 0 = Nat.iter 2 (counter 3) 0 /\
  (exists n, n <= 3 /\ (fun h => Nat.odd (hd 0 h)) (after_ones [(counter 3, 0)] n) <> Nat.odd n) /\
  after_ones [(counter 3, 0)] 6 = after_ones [(counter 3, 0)] 4 /\
  exists n, n <= 6 /\ hd 0 (after_ones [(counter 3, 0)] n) <> n mod 3.
Proof.
  destruct (nonnegative_diagonal_parity_upper 3 2 ltac:(lia) ltac:(lia)) as (B & M & _).
  assert (All : forall c : (nat -> nat) * nat, In c [(counter 3, 0)] -> nondecreasing (fst c)) by (intros c [<-|[]]; exact M).
  assert (Both : forall c : (nat -> nat) * nat, In c [(counter 3, 0)] -> nondecreasing (fst c) \/ nonincreasing (fst c)) by
    auto.
  split; [|split; [|split]].
  - apply (monotone_run_stops 3 (counter 3) 0); [apply (B (counter 3, 0)); left; reflexivity|exact M|lia].
  - apply (nonnegative_diagonal_parity 3 [(counter 3, 0)] (fun h => Nat.odd (hd 0 h))); auto.
  - apply (diagonal_periods 3 [(counter 3, 0)]); auto.
  - apply (diagonal_modulo 3 [(counter 3, 0)] (fun h => hd 0 h) 3); auto.
Qed.

(** A rounding that cuts off the fraction: the step h <- h / 2 + 1 of whole numbers is monotone. *)
Example half_step : nondecreasing (fun i => (fun q => Z.to_nat (Qfloor q)) ((1 # 2) * inject_Z (Z.of_nat i) + 1)%Q).
Proof.
  apply (affine_step_monotone (fun i => inject_Z (Z.of_nat i)) (fun q => Z.to_nat (Qfloor q)) (1 # 2) 1); [| |discriminate].
  - intros i j H. rewrite <- Zle_Qle. lia.
  - intros u v H. pose proof (Qfloor_resp_le u v H). lia.
Qed.
