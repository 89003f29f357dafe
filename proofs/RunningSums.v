(** One layer whose sums are rounded as they run: composition of two functions, and any order of summation.

    In words. A layer keeps a number of accumulators: for each head a maximum, a sum of weights, and m sums of weighted values.
    It reads the positions one after the other, in any order and in any number of passes, and changes the accumulators by any
    function of the position, the token there and the question. It may round at each step.
    - If one party has the positions that are read first, its message is the accumulators ([running_message]). A layer that
      composes two functions over [n], f before g, has n^n <= 2^(H (m + 2) p) ([composition_one_layer]).
    - In general the parties hand the accumulators over at each change of the owner, and then Bob knows the answer
      ([running_protocol]). So the bits are those of the question and (number of changes) times those of the accumulators.

    Source: the idea of composition is that of Peng, Narayanan, Papadimitriou 2024 (arXiv:2402.08164); statements and constants
    are our own. In Python: [composition-one-layer], arithmetic `sums`; _running_sums.

    The hypotheses, for a real model. All accumulators together are one number below A; for H heads and numbers of p bits,
    A = 2^(H (m + 2) p). The question is known before the first position, as it is for the last token of the input. *)

From Coq Require Import List Arith Lia.
From Seqsep Require Import Words OneWay Protocols IndexLookup.
Import ListNotations.

Section RunningSums.
  Variables (Token Answer : Type).
  Variable A : nat.
  Variable begin : nat -> nat.                                   (* the accumulators at the start, from the question *)
  Variable update : nat -> nat -> nat -> Token -> nat.           (* question, position, accumulators, token *)
  Variable finish : nat -> nat -> Answer.                        (* question, accumulators *)
  Hypothesis begin_below : forall q, begin q < A.
  Hypothesis update_below : forall q i a t, update q i a t < A.

  (** The accumulators after these positions, in this order. A position may occur again, in another pass. *)
  Definition accumulate (q : nat) (w : nat -> Token) (positions : list nat) (a : nat) : nat :=
    fold_left (fun a i => update q i a (w i)) positions a.

  Definition running (q : nat) (w : nat -> Token) (positions : list nat) : Answer :=
    finish q (accumulate q w positions (begin q)).

  Lemma accumulate_below : forall positions q w a, a < A -> accumulate q w positions a < A.
  Proof. induction positions as [|i l IH]; intros q w a H; simpl; auto. Qed.

  Lemma accumulate_ext : forall positions q w w' a, (forall i, In i positions -> w i = w' i) ->
    accumulate q w positions a = accumulate q w' positions a.
  Proof.
    induction positions as [|i l IH]; intros q w w' a H; simpl; auto.
    rewrite (H i (or_introl eq_refl)). apply IH. intros j Hj. apply H. right. exact Hj.
  Qed.

  (** One party has the first positions: the accumulators are its message, which depends on the question and its tokens. *)
  Theorem running_message : forall first second q w,
    running q w (first ++ second) = finish q (accumulate q w second (accumulate q w first (begin q))) /\
    accumulate q w first (begin q) < A.
  Proof.
    intros. split.
    - unfold running, accumulate. rewrite fold_left_app. reflexivity.
    - apply accumulate_below, begin_below.
  Qed.

  (** Any owner of each position: the accumulators are handed over at each change. Alice's positions are [alice_has]. *)
  Variable alice_has : nat -> bool.

  Fixpoint hand_over (q : nat) (positions : list nat) (alice : bool) (mine : list nat) (a : nat)
    : protocol (nat -> Token) (nat -> Token) :=
    match positions with
    | [] => if alice then Alice _ _ A (fun x => accumulate q x (rev mine) a) (fun _ => Done _ _) else Done _ _
    | i :: rest =>
      if Bool.eqb (alice_has i) alice then hand_over q rest alice (i :: mine) a
      else if alice then Alice _ _ A (fun x => accumulate q x (rev mine) a) (fun a' => hand_over q rest false [i] a')
           else Bob _ _ A (fun y => accumulate q y (rev mine) a) (fun a' => hand_over q rest true [i] a')
    end.

  (** How often the owner changes; the last change is to Bob, who then knows the answer. *)
  Fixpoint changes (positions : list nat) (alice : bool) : nat :=
    match positions with
    | [] => if alice then 1 else 0
    | i :: rest => if Bool.eqb (alice_has i) alice then changes rest alice else S (changes rest (alice_has i))
    end.

  Lemma most_below_le : forall f k c, (forall i, i < k -> f i <= c) -> most_below f k <= c.
  Proof. induction k as [|k IH]; intros c H; simpl; [lia|]. specialize (IH c). specialize (H k) as Hk.
  apply Nat.max_lub; auto. Qed.

  Theorem running_bits : forall positions q alice mine a,
    cost _ _ (hand_over q positions alice mine a) <= changes positions alice * bits A.
  Proof.
    induction positions as [|i rest IH]; intros q alice mine a; simpl.
    - destruct alice; simpl; auto. rewrite Nat.add_0_r.
      assert (most_below (fun _ => 0) A <= 0) by (apply most_below_le; auto). lia.
    - destruct (Bool.eqb (alice_has i) alice) eqn:E; auto.
      destruct alice, (alice_has i); try discriminate; simpl;
        apply Nat.add_le_mono_l, most_below_le; intros; apply IH.
  Qed.

  Theorem running_range : forall positions q alice mine a, a < A -> keeps_to_range _ _ (hand_over q positions alice mine a).
  Proof.
    induction positions as [|i rest IH]; intros q alice mine a Ha; simpl.
    - destruct alice; simpl; auto. split; [intros x; apply accumulate_below; exact Ha|auto].
    - destruct (Bool.eqb (alice_has i) alice); auto.
      destruct alice; simpl; (split; [intros; apply accumulate_below; exact Ha|auto]).
  Qed.

  Definition joined (x y : nat -> Token) (i : nat) : Token := if alice_has i then x i else y i.

  (** The positions that Bob reads after the last number that is said. *)
  Fixpoint last_own (positions : list nat) (alice : bool) (mine : list nat) : list nat :=
    match positions with
    | [] => if alice then [] else rev mine
    | i :: rest => if Bool.eqb (alice_has i) alice then last_own rest alice (i :: mine) else last_own rest (negb alice) [i]
    end.

  Lemma last_cons : forall (l : list nat) v d, last (v :: l) d = last l v.
  Proof. intros [|x l] v d; [reflexivity|]. apply (last_nonempty nat (x :: l)). discriminate. Qed.

  Lemma hand_over_right : forall positions q alice mine a x y,
    (forall i, In i mine -> alice_has i = alice) ->
    accumulate q (joined x y) (rev mine ++ positions) a =
    accumulate q y (last_own positions alice mine) (last (transcript _ _ (hand_over q positions alice mine a) x y) a).
  Proof.
    induction positions as [|i rest IH]; intros q alice mine a x y Hm; simpl.
    - rewrite app_nil_r. assert (Hr : forall i, In i (rev mine) -> alice_has i = alice) by (intros i Hi; apply Hm, in_rev, Hi).
      destruct alice; simpl; apply accumulate_ext; intros i Hi; unfold joined; rewrite (Hr i Hi); reflexivity.
    - destruct (Bool.eqb (alice_has i) alice) eqn:E.
      + apply Bool.eqb_prop in E. rewrite <- IH by (intros j [<-|Hj]; auto). simpl. rewrite <- app_assoc. reflexivity.
      + assert (Ei : alice_has i = negb alice) by (destruct (alice_has i), alice; simpl in *; congruence).
        assert (Hr : forall i, In i (rev mine) -> alice_has i = alice) by (intros j Hj; apply Hm, in_rev, Hj).
        assert (S : forall w, (forall j, In j (rev mine) -> joined x y j = w j) ->
          accumulate q (joined x y) (rev mine ++ i :: rest) a =
          accumulate q (joined x y) (rev [i] ++ rest) (accumulate q w (rev mine) a)).
        { intros w Hw. unfold accumulate at 1. rewrite fold_left_app. fold (accumulate q (joined x y) (rev mine) a).
          rewrite (accumulate_ext _ _ _ w) by exact Hw. reflexivity. }
        assert (Hi : forall j, In j [i] -> alice_has j = negb alice) by (intros j [<-|[]]; exact Ei).
        destruct alice; cbn [negb transcript] in *; rewrite last_cons.
        * rewrite (S x) by (intros j Hj; unfold joined; rewrite (Hr j Hj); reflexivity). apply IH. exact Hi.
        * rewrite (S y) by (intros j Hj; unfold joined; rewrite (Hr j Hj); reflexivity). apply IH. exact Hi.
  Qed.

  (** Any partition, any order, any number of passes, any rounding at any step: Bob learns the answer. *)
  Theorem running_protocol : forall positions q, exists p out,
    keeps_to_range _ _ p /\ bob_learns _ _ _ (fun x y => running q (joined x y) positions) p out /\
    cost _ _ p <= changes positions false * bits A.
  Proof.
    intros positions q. exists (hand_over q positions false [] (begin q)),
      (fun y t => finish q (accumulate q y (last_own positions false []) (last t (begin q)))).
    split; [apply running_range, begin_below|split; [|apply running_bits]].
    intros x y. unfold running. f_equal. symmetry. apply (hand_over_right positions q false [] (begin q)). intros i [].
  Qed.
End RunningSums.

(** Composition. The question is x, fixed and known to both. Alice has f, as the n tokens that are read first. *)
Section Composition.
  Variables (n A : nat).
  Variable begin : nat -> nat.
  Variable update : nat -> nat -> nat -> nat -> nat.
  Variable finish : nat -> nat -> nat.
  Hypothesis begin_below : forall q, begin q < A.
  Hypothesis update_below : forall q i a t, update q i a t < A.

  (** The answer to the tokens f(0) .. f(n-1), g(0) .. g(n-1), x. *)
  Definition layer_answer (w : list nat) : nat :=
    running nat nat begin update finish (last w 0) (fun i => nth i w 0) (seq 0 (2 * n + 1)).

  Definition composes : Prop := forall f g x,
    In f (words (seq 0 n) n) -> In g (words (seq 0 n) n) -> x < n -> layer_answer (f ++ g ++ [x]) = nth (nth x g 0) f 0.

  Theorem composition_one_layer : 1 <= n -> composes -> n ^ n <= A.
  Proof.
    intros Hn Hc.
    replace (n ^ n) with (length (words (seq 0 n) n)) by (rewrite words_length, seq_length; reflexivity).
    (* The question is x = 0. Bob's suffix is g with g(0) = y, and x. *)
    set (suffix := fun y : nat => (y :: repeat 0 (n - 1)) ++ [0]).
    assert (Hs : forall y, y < n -> In (y :: repeat 0 (n - 1)) (words (seq 0 n) n)).
    { intros y Hy. apply in_words. split; [simpl; rewrite repeat_length; lia|].
      intros z [<-|Hz]; apply in_seq; [lia|]. apply repeat_spec in Hz. lia. }
    assert (At : forall h y, length h = n -> nth n (h ++ suffix y) 0 = y).
    { intros h y Lh. rewrite app_nth2 by lia. rewrite Lh, Nat.sub_diag. reflexivity. }
    apply (one_way_messages nat nat nat Nat.eq_dec
      (fun f => accumulate nat update 0 (fun i => nth i f 0) (seq 0 n) (begin 0))
      (fun a q => finish 0 (accumulate nat update 0 (fun i => nth (i - n) q 0) (seq n (n + 1)) a))
      (fun a => a)
      (fun w => exists f y, In f (words (seq 0 n) n) /\ y < n /\ w = f ++ suffix y)
      (fun w => nth (nth n w 0) w 0)).
    - apply words_nodup, seq_NoDup.
    - intros f f' Hf Hf' Ne. apply in_words in Hf as Lf. apply in_words in Hf' as Lf'. destruct Lf as [Lf _], Lf' as [Lf' _].
      destruct (words_differ f f' 0) as (y & Hy & D); [lia|auto|].
      assert (E : forall h, length h = n -> nth (nth n (h ++ suffix y) 0) (h ++ suffix y) 0 = nth y h 0).
      { intros h Lh. rewrite (At h y Lh). apply app_nth1. lia. }
      exists (suffix y). repeat split.
      + exists f, y. repeat split; auto. lia.
      + exists f', y. repeat split; auto. lia.
      + rewrite !E by lia. exact D.
    - auto.
    - intros f _. apply (accumulate_below nat A update update_below), begin_below.
    - intros f q Hf (f' & y & Hf' & Hy & E).
      apply in_words in Hf as Lf. apply in_words in Hf' as Lf'. destruct Lf as [Lf _], Lf' as [Lf' _].
      assert (f = f' /\ q = suffix y) as [<- ->].
      { split.
        - apply (f_equal (firstn n)) in E. rewrite !firstn_app, Lf, Lf', Nat.sub_diag, !firstn_O, !app_nil_r in E.
          rewrite !firstn_all2 in E by lia. exact E.
        - apply (f_equal (skipn n)) in E. rewrite !skipn_app, Lf, Lf', Nat.sub_diag, !skipn_O in E.
          rewrite !skipn_all2 in E by lia. exact E. }
      assert (Ls : length (suffix y) = n + 1) by (unfold suffix; rewrite app_length; simpl; rewrite repeat_length; lia).
      pose proof (Hc f (y :: repeat 0 (n - 1)) 0 Hf (Hs y Hy) ltac:(lia)) as P.
      fold (suffix y) in P. cbn [nth] in P.
      rewrite (At f y Lf). rewrite (app_nth1 f) by lia. rewrite <- P. unfold layer_answer.
      assert (Hl : last (f ++ suffix y) 0 = 0) by (unfold suffix; rewrite app_assoc; apply last_last).
      rewrite Hl. replace (2 * n + 1) with (n + (n + 1)) by lia. rewrite (seq_app n (n + 1) 0).
      destruct (running_message nat nat A begin update finish begin_below update_below (seq 0 n) (seq (0 + n) (n + 1)) 0
                  (fun i => nth i (f ++ suffix y) 0)) as [R _].
      rewrite R. f_equal.
      rewrite (accumulate_ext nat update (seq 0 n) 0 (fun i => nth i (f ++ suffix y) 0) (fun i => nth i f 0)).
      2: { intros i Hi. apply in_seq in Hi. apply app_nth1. lia. }
      apply accumulate_ext. intros i Hi. apply in_seq in Hi. rewrite (app_nth2 f) by lia. rewrite Lf. reflexivity.
  Qed.

  (** With H heads of m coordinates and accumulators of p bits: n log2 n <= H (m + 2) p. *)
  Corollary composition_one_layer_bits : forall H m p, 1 <= n -> composes -> A = 2 ^ (H * (m + 2) * p) ->
    bits (n ^ n) <= H * (m + 2) * p.
  Proof.
    intros H m p Hn Hc E. apply fits_in_bits; [apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia|].
    rewrite <- E. apply composition_one_layer; auto.
  Qed.
End Composition.

(** Accumulators that meet the hypotheses and compose, for n = 1: everything is 0. *)
Example a_layer_composes : composes 1 (fun _ => 0) (fun _ _ _ _ => 0) (fun _ _ => 0).
Proof.
  intros f g x Hf Hg Hx. simpl in Hf, Hg. destruct Hf as [<-|[]], Hg as [<-|[]].
  assert (x = 0) as -> by lia. reflexivity.
Qed.

(** Rounding at each addition depends on the order: 3 + 3 - 3 with a sum that ends at 3. *)
Example order_matters : fold_left (fun a t => if t =? 9 then a - 3 else Nat.min 3 (a + t)) [3; 3; 9] 0 <>
  fold_left (fun a t => if t =? 9 then a - 3 else Nat.min 3 (a + t)) [3; 9; 3] 0.
Proof. discriminate. Qed.

Example no_accumulators : 1 ^ 1 <= 1 /\ bits (1 ^ 1) <= 1 * (1 + 2) * 0 /\
  (exists p out, keeps_to_range _ _ p /\
    bob_learns _ _ _ (fun x y => running nat nat (fun _ => 0) (fun _ _ a t => Nat.min 3 (a + t)) (fun _ a => a) 0
      (joined nat Nat.even x y) [0; 1; 2; 3]) p out /\ cost _ _ p <= changes Nat.even [0; 1; 2; 3] false * bits 4) /\
  cost _ _ (hand_over nat 4 (fun _ _ a t => Nat.min 3 (a + t)) Nat.even 0 [0; 1; 2; 3] false [] 0) <= changes Nat.even [0; 1;
    2; 3] false * bits 4 /\
  keeps_to_range _ _ (hand_over nat 4 (fun _ _ a t => Nat.min 3 (a + t)) Nat.even 0 [0; 1; 2; 3] false [] 0) /\
  accumulate nat (fun _ _ a t => Nat.min 3 (a + t)) 0 (fun i => i) [0; 1] 0 < 4.
Proof.
  assert (B : forall q i a t : nat, (fun _ _ a t => Nat.min 3 (a + t)) q i a t < 4) by (intros; cbv beta; lia).
  split; [|split; [|split; [|split; [|split]]]].
  - apply (composition_one_layer 1 1 (fun _ => 0) (fun _ _ _ _ => 0) (fun _ _ => 0)); auto using a_layer_composes.
  - apply (composition_one_layer_bits 1 1 (fun _ => 0) (fun _ _ _ _ => 0) (fun _ _ => 0)); auto using a_layer_composes.
  - apply (running_protocol nat nat 4 (fun _ => 0) _ (fun _ a => a)); [intros; cbv beta; lia|exact B].
  - apply (running_bits nat 4 _ Nat.even [0; 1; 2; 3] 0 false [] 0).
  - apply (running_range nat 4 _ B). lia.
  - apply (running_message nat nat 4 (fun _ => 0) _ (fun _ a => a) ltac:(intros; cbv beta; lia) B [0; 1] [] 0 (fun i => i)).
Qed.
