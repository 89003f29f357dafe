(** The network of [PeelingNetwork] as a program that computes fast, and an example that meets its hypotheses.

    In words. [PeelingNetwork.next_token] computes the numbers of layer 1 anew wherever layer 2 needs them. [next_run] computes
    them once for each place and keeps them in a list. Its next token and its logits are those of the network, for all sizes,
    tables and tokens ([next_run_right], [logits_run_right]).

    Source: this project. In Python: the network of [is-tree-peeling]. A test runs this program next to it ([Extraction]).

    The hypotheses, for a real model: none for the equality. The example [a_tree] meets all hypotheses of
    [PeelingNetwork.peeling_right], for n = 2, L = 49, eta = 1 and exponentials of 0 below the maximum. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words OneLayer OneLayerBounds IsTree SimpleGraphs Peeling PeelingNetwork.
Import ListNotations.
Open Scope Z_scope.

(** ** A head whose scores and values are lists *)

Fixpoint weighted (L z : Z) (es vs : list Z) : Z :=
  match es, vs with e :: es, v :: vs => floor_weight L e z * v + weighted L z es vs | _, _ => 0 end.
Definition mixed (L : Z) (es vs : list Z) : Z := weighted L (fold_right Z.add 0 es) es vs / L.
Definition raised (expo : Z -> Z) (scores : list Z) (M : Z) : list Z := map (fun s => expo (s - M)) scores.
Definition head_run (L : Z) (expo : Z -> Z) (scores values : list Z) : Z :=
  mixed L (raised expo scores (fold_right Z.max (- (L * L)) scores)) values.

Lemma weighted_map : forall L z (f g : nat -> Z) l,
  weighted L z (map f l) (map g l) = total l (fun i => floor_weight L (f i) z * g i).
Proof. induction l as [|i l IH]; [reflexivity|]. cbn [map weighted total fold_right]. rewrite IH. reflexivity. Qed.

Lemma sum_map : forall (f : nat -> Z) l, fold_right Z.add 0 (map f l) = total l f.
Proof. induction l as [|i l IH]; [reflexivity|]. cbn [map total fold_right]. rewrite IH. reflexivity. Qed.

Lemma greatest_map : forall b (f : nat -> Z) l, fold_right Z.max b (map f l) = greatest b l f.
Proof. induction l as [|i l IH]; [reflexivity|]. cbn [map greatest fold_right]. rewrite IH. reflexivity. Qed.

Lemma head_run_right : forall L expo t score value, head L expo t score value =
  head_run L expo (map (fun i => on_grid L (score i)) (seq 0 (S t))) (map (fun i => on_grid L (value i)) (seq 0 (S t))).
Proof.
  intros. unfold head_run, mixed, raised. rewrite map_map, weighted_map, sum_map, greatest_map. reflexivity.
Qed.

(** ** Layer 1 at a place *)

Record place := { p_high : Z; p_low : Z; p_high_square : Z; p_low_square : Z; p_signed_high : Z; p_signed_low : Z; p_sign : Z;
  p_bos : Z }.

(** The hidden units, from the vertex, the token before, the token before that, and the flags. *)
Definition place_of (nodes own bf bf2 tb tb2 hs isn bs : Z) : place := {|
  p_high := larger own tb (nodes * - bf) + larger own bf (nodes * (isn + hs - 2));
  p_low := smaller own tb (nodes * - bf) + smaller own bf (nodes * (isn + hs - 2));
  p_high_square := larger (square own) tb2 (square nodes * - bf) + larger (square own) bf2 (square nodes * (isn + hs - 2));
  p_low_square := smaller (square own) tb2 (square nodes * - bf) + smaller (square own) bf2 (square nodes * (isn + hs - 2));
  p_signed_high := larger own tb (nodes * - bf) - larger own bf (nodes * (isn + hs - 2));
  p_signed_low := smaller own tb (nodes * - bf) - smaller own bf (nodes * (isn + hs - 2));
  p_sign := relu (isn - bf) - relu (isn + hs - 1);
  p_bos := bs |}.

Section Run.
  Variables (n : nat) (L eta : Z) (expo : Z -> Z) (w : nat -> token).

  Definition look_run (t : nat) (score value : nat -> Z) : Z :=
    head_run L expo (map (fun i => on_grid L (2 * eta * score i)) (seq 0 (S t)))
      (map (fun i => on_grid L (value i)) (seq 0 (S t))) / L.

  Lemma look_run_right : forall t score value, look L eta expo t score value = look_run t score value.
  Proof. intros. unfold look, look_run. rewrite head_run_right. reflexivity. Qed.

  Definition stored (i : nat) : place := place_of (nodes n) (label w i)
    (look_run i (back 1 i) (fun j => label w j + bos (w j))) (look_run i (back 1 i) (fun j => square (label w j)))
    (look_run i (back 2 i) (label w)) (look_run i (back 2 i) (fun j => square (label w j)))
    (look_run i (last_pointer n w) (fun j => is_pointer (w j))) (is_number (w i)) (bos (w i)).

  Lemma stored_right : forall i, stored i = {| p_high := high n L eta expo w i; p_low := low n L eta expo w i;
    p_high_square := high_square n L eta expo w i; p_low_square := low_square n L eta expo w i;
    p_signed_high := signed_high n L eta expo w i; p_signed_low := signed_low n L eta expo w i;
    p_sign := sign n L eta expo w i; p_bos := bos (w i) |}.
  Proof.
    intros. unfold stored, place_of, high, low, high_square, low_square, signed_high, signed_low, sign, of_prompt, climb,
      before, before_square, two_before, two_before_square, has.
    rewrite !look_run_right. reflexivity.
  Qed.

  (** ** Layer 2 and the read-out *)

  Definition count_run (x : Z) (own own_square value : place -> Z) (places : list place) : Z :=
    head_run L expo
      (map (fun p => on_grid L (- eta * (own_square p - 2 * x * own p + square x * (1 - p_bos p)))) places)
      (map (fun p => on_grid L (value p)) places).

  (** The logit of a token, from the numbers of layer 2 and the pointers. *)
  Definition logit_of (tot hd hu ld lu la ha st tm : Z) (c : token) : Z :=
    let T := tokens_of_a_run n in
    let flag := T * hd - T * relu (hd - ld) + T * relu (hd - hu) + T * relu (ld - lu) + relu (L - T * (hd + ld)) in
    let no := L * (slope n + 1 - depth n + slope n * (3 * la - st - 2)) in
    match c with
    | Vertex i => 2 * Z.of_nat i * tot - square (Z.of_nat i) * (hd + ld) - silence n * flag - silence n * L * (1 - ha)
    | Pointer i => L * (2 * Z.of_nat i * (la + 1) - square (Z.of_nat i) - depth n)
    | No => no
    | Yes => no + L * (1 + 3 * tm - 4 * (st - 1) - 3 * la)
    | _ => - silence n * L
    end.

  Definition logit_at (t : nat) (places : list place) : token -> Z :=
    logit_of
      (count_run (label w t) p_high p_high_square p_signed_low places +
        count_run (label w t) p_low p_low_square p_signed_high places)
      (count_run (label w t) p_high p_high_square p_sign places) (count_run (label w t) p_high p_high_square p_bos places)
      (count_run (label w t) p_low p_low_square p_sign places) (count_run (label w t) p_low p_low_square p_bos places)
      (look_run t (last_pointer n w) (label w)) (look_run t (last_pointer n w) (fun j => is_pointer (w j)))
      (look_run t (first_pointer n w) (fun j => time j + tokens_of_a_run n * bos (w j))) (time t).
  Definition logit_run (t : nat) : token -> Z := logit_at t (map stored (seq 0 (S t))).

  Definition choice (logit : token -> Z) : token :=
    fold_right (fun c best => if logit best <? logit c then c else best) Bos (vocabulary n).
  Definition next_run (t : nat) : token := let places := map stored (seq 0 (S t)) in choice (logit_at t places).
  Definition logits_run (t : nat) : list Z :=
    let places := map stored (seq 0 (S t)) in map (logit_at t places) (vocabulary n).

  Lemma at_high_right : forall t value p_value, (forall i, p_value (stored i) = value i) ->
    count_run (label w t) p_high p_high_square p_value (map stored (seq 0 (S t))) = at_high n L eta expo w t value.
  Proof.
    intros t value p_value E. unfold at_high, count_run. rewrite head_run_right, !map_map. f_equal; apply map_ext; intros i.
    - rewrite stored_right. reflexivity.
    - rewrite E. reflexivity.
  Qed.

  Lemma at_low_right : forall t value p_value, (forall i, p_value (stored i) = value i) ->
    count_run (label w t) p_low p_low_square p_value (map stored (seq 0 (S t))) = at_low n L eta expo w t value.
  Proof.
    intros t value p_value E. unfold at_low, count_run. rewrite head_run_right, !map_map. f_equal; apply map_ext; intros i.
    - rewrite stored_right. reflexivity.
    - rewrite E. reflexivity.
  Qed.

  Lemma logit_run_right : forall t c, logit_run t c = logit n L eta expo w t c.
  Proof.
    intros t c. unfold logit_run, logit_at.
    rewrite (at_high_right t (signed_low n L eta expo w)), (at_low_right t (signed_high n L eta expo w)),
      (at_high_right t (sign n L eta expo w)), (at_low_right t (sign n L eta expo w)),
      (at_high_right t (fun i => bos (w i))), (at_low_right t (fun i => bos (w i)))
      by (intros; rewrite stored_right; reflexivity).
    unfold logit_of, logit, not_leaf, total_of, high_degree, high_unit, low_degree, low_unit, last, has, start.
    rewrite !look_run_right. destruct c; reflexivity.
  Qed.

  (** The program has the logits and the next token of the network. *)
  Theorem logits_run_right : forall t, logits_run t = map (logit n L eta expo w t) (vocabulary n).
  Proof. intros. apply map_ext. apply logit_run_right. Qed.

  Theorem next_run_right : forall t, next_run t = next_token n L eta expo w t.
  Proof.
    intros t. change (next_run t) with (choice (logit_run t)). unfold choice, next_token. generalize (vocabulary n).
    induction l as [|c l IH]; [reflexivity|]. cbn [fold_right]. rewrite IH, !logit_run_right. reflexivity.
  Qed.
End Run.

Definition hard (L d : Z) : Z := if d =? 0 then L else 0.
Definition read (i : nat) : token := nth i [Bos; Vertex 1; Between; Vertex 2; Pointer 1; Vertex 2; Pointer 2; Yes] Bos.

(** All hypotheses of [peeling_right] at once. *)
Definition meets (n : nat) (L eta : Z) (expo : Z -> Z) (w : nat -> token) (es : list edge) : Prop :=
  (2 <= n)%nat /\ 1 <= eta /\ square (tokens_of_a_run n) <= L /\ 2 * eta * (tokens_of_a_run n + 1) <= L /\ expo 0 = L /\
  (forall d, d <= - (L * eta) -> expo d = 0) /\ (1 <= length es)%nat /\ (length es < n)%nat /\ among (S (length es)) es /\
  reads_prompt w es /\
  forall t, (3 * length es <= t < 3 * length es + 2 * S (length es))%nat -> w (S t) = next_token n L eta expo w t.

(** One edge between two vertices is a tree. *)
Example a_tree : meets 2 49 1 (hard 49) read [(1, 2)%nat].
Proof.
  unfold meets. split; [lia|]. split; [lia|]. split; [vm_compute; discriminate|].
  split; [vm_compute; discriminate|]. split; [reflexivity|].
  split; [intros d H; unfold hard; destruct (Z.eqb_spec d 0); [lia|reflexivity]|].
  split; [cbn; lia|]. split; [cbn; lia|]. split; [intros e [<-|[]]; cbn; lia|]. split.
  - split; [vm_compute; reflexivity|]. intros [|i] H; [vm_compute; repeat split|cbn in H; lia].
  - intros t H. rewrite <- next_run_right. cbn in H.
    assert (t = 3 \/ t = 4 \/ t = 5 \/ t = 6)%nat as [->|[->|[->| ->]]] by lia; vm_compute; reflexivity.
Qed.

(** So the network writes YES for it, after 3 tokens of thought. *)
Example a_tree_is_decided : exists k, (k <= 3)%nat /\ read (S (3 + k)) = Yes /\
  (forall i, (i < k)%nat -> read (S (3 + i)) <> Yes /\ read (S (3 + i)) <> No).
Proof.
  destruct a_tree as (N2 & E1 & TL & SL & Z0 & Far & M1 & Mn & Am & Rp & Wr).
  destruct (peeling_right 2 49 1 (hard 49) read N2 E1 TL SL Z0 Far [(1, 2)%nat] M1 Mn Am Rp Wr) as (k & Hk & Wk & Before).
  exists k. split; [exact Hk|split; [exact Wk|exact Before]].
Qed.

(** Its first step: after the prompt the pointer to vertex 1 follows. *)
Example a_first_step : next_token 2 49 1 (hard 49) read 3 = fst (next 2 1 (begin [(1, 2)%nat])).
Proof.
  destruct a_tree as (N2 & E1 & TL & SL & Z0 & Far & M1 & Mn & Am & Rp & Wr).
  apply (peeling_step 2 49 1 (hard 49) read N2 E1 TL SL Z0 Far [(1, 2)%nat] M1 Mn Am 3 (begin [(1, 2)%nat])).
  - apply (follows_prompt 2 49 1 (hard 49) read N2 E1 TL SL Z0 Far [(1, 2)%nat] M1 Mn Am Rp).
  - split; [exact Am|]. split; [reflexivity|]. split; [reflexivity|]. split; [apply Nat.le_0_l|].
    intros v [Hv Hv']. cbn in Hv'. lia.
Qed.
