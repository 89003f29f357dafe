(** An oracle for associative recall saves a recurrent model almost no state.

    In words. A model reads data that code symbols y, and may ask an oracle about the data at any time. It answers Index:
    given i, the symbol y_i. If the oracle gives the same answers on all data of a set, the model needs a state for each of
    them. The oracle's answers on y_1 k y_2 k .. y_h k depend only on y_2 and on the set of symbols that occur. So the model
    needs at least as many states as there are sequences y with one y_2 and one set of s symbols: surj(h, s) / s of them,
    where surj(h, s) is the number of maps of h places onto s symbols.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Proposition 5.1; the exact number is our own. In Python:
    [recall-oracle-state].

    The hypotheses, for a real model. Whatever the model does after the data, also a chain of thought with questions to the
    oracle, is a function [answer] of its state, of the oracle as a function, and of i. *)

From Coq Require Import List Arith Lia FinFun.
From Seqsep Require Import Words OneWay.
Import ListNotations.

(** The number of maps of [h] places onto [s] symbols. *)
Fixpoint surj (h s : nat) : nat :=
  match h, s with
  | 0, 0 => 1
  | S h, S s => S s * (surj h (S s) + surj h s)
  | _, _ => 0
  end.

(** All words of [h] symbols that have every symbol of [symbols] and no other. *)
Fixpoint onto (h : nat) (symbols : list nat) : list (list nat) :=
  match h with
  | 0 => match symbols with [] => [[]] | _ => [] end
  | S h => flat_map (fun x => map (cons x) (onto h symbols ++ onto h (remove Nat.eq_dec x symbols))) symbols
  end.

Lemma onto_length : forall h symbols, NoDup symbols -> length (onto h symbols) = surj h (length symbols).
Proof.
  induction h as [|h IH]; intros symbols Hn.
  - destruct symbols; reflexivity.
  - simpl onto. rewrite (length_flat_map_same _ _ (surj h (length symbols) + surj h (length symbols - 1))).
    + destruct symbols as [|x symbols]; [reflexivity|]. cbn [length surj]. rewrite Nat.sub_succ, Nat.sub_0_r. reflexivity.
    + intros x Hx. rewrite map_length, app_length, IH, IH by auto using remove_nodup.
      pose proof (remove_length symbols x Hn Hx). f_equal. f_equal. lia.
Qed.

Lemma onto_spec : forall h symbols w, NoDup symbols -> In w (onto h symbols) ->
  length w = h /\ forall x, In x w <-> In x symbols.
Proof.
  induction h as [|h IH]; intros symbols w Hn H.
  - destruct symbols; simpl in H; [|contradiction]. destruct H as [<-|[]]. split; [reflexivity|tauto].
  - simpl in H. apply in_flat_map in H. destruct H as (a & Ha & H). apply in_map_iff in H. destruct H as (v & <- & Hv).
    apply in_app_iff in Hv. destruct Hv as [Hv|Hv].
    + apply IH in Hv; auto. destruct Hv as [L E]. simpl. split; [lia|]. intros x. rewrite E. split; [intros [->|]; auto|auto].
    + apply IH in Hv; [|apply remove_nodup; exact Hn]. destruct Hv as [L E]. simpl. split; [lia|]. intros x. rewrite E. split.
      * intros [->|H]; auto. apply in_remove in H. tauto.
      * intros H. destruct (Nat.eq_dec a x); auto. right. apply in_in_remove; auto.
Qed.

Lemma onto_nodup : forall h symbols, NoDup symbols -> NoDup (onto h symbols).
Proof.
  induction h as [|h IH]; intros symbols Hn.
  - destruct symbols; simpl; repeat constructor. intros [].
  - simpl.
    assert (G : forall l, NoDup l -> incl l symbols ->
      NoDup (flat_map (fun x => map (cons x) (onto h symbols ++ onto h (remove Nat.eq_dec x symbols))) l)).
    { induction l as [|a l IHl]; intros Hl Hi; simpl; [constructor|]. inversion Hl; subst. apply NoDup_app_disjoint.
      - apply Injective_map_NoDup; [intros u v E; congruence|]. apply NoDup_app_disjoint; auto using remove_nodup.
        intros w Hw Hw'. apply onto_spec in Hw; auto. apply onto_spec in Hw'; [|apply remove_nodup; exact Hn].
        assert (In a w) by (apply Hw, Hi; left; reflexivity). apply Hw' in H. apply in_remove in H. tauto.
      - apply IHl; auto. intros x Hx. apply Hi. right. exact Hx.
      - intros w Hw Hw'. apply in_map_iff in Hw. destruct Hw as (u & <- & _). apply in_flat_map in Hw'.
        destruct Hw' as (b & Hb & E). apply in_map_iff in E. destruct E as (v & E & _). congruence. }
    apply G; auto. intros x Hx. exact Hx.
Qed.

(** The token after the first occurrence of q; [failed] if there is none. *)
Fixpoint recall (failed q : nat) (w : list nat) : nat :=
  match w with
  | x :: (y :: _) as rest => if x =? q then y else recall failed q rest
  | _ => failed
  end.

(** The data y_1 k y_2 k .. y_h k. *)
Definition data (k : nat) (y : list nat) : list nat := flat_map (fun x => [x; k]) y.

(** What the oracle answers about these data: y_2 to k; k to a symbol that occurs; FAILED to every other token. *)
Lemma recall_symbol : forall failed k q y, q <> k -> recall failed q (data k y) = if in_dec Nat.eq_dec q y then k else failed.
Proof.
  induction y as [|x y IH]; intros Hq; [reflexivity|].
  change (data k (x :: y)) with (x :: k :: data k y). cbn [recall].
  destruct (Nat.eqb_spec x q) as [->|Nx].
  - destruct (in_dec Nat.eq_dec q (q :: y)) as [|n]; [reflexivity|]. exfalso. apply n. left. reflexivity.
  - assert (E : (if in_dec Nat.eq_dec q (x :: y) then k else failed) = if in_dec Nat.eq_dec q y then k else failed).
    { destruct (in_dec Nat.eq_dec q (x :: y)) as [[|]|], (in_dec Nat.eq_dec q y); try contradiction; auto.
      exfalso. apply n. right. assumption. }
    rewrite E, <- (IH Hq). destruct (data k y) as [|z l]; [destruct (k =? q); reflexivity|].
    destruct (Nat.eqb_spec k q); [congruence|]. reflexivity.
Qed.

Lemma recall_k : forall failed k y1 y2 y, y1 <> k -> recall failed k (data k (y1 :: y2 :: y)) = y2.
Proof.
  intros failed k y1 y2 y H. simpl. destruct (Nat.eqb_spec y1 k); [contradiction|]. rewrite Nat.eqb_refl. reflexivity.
Qed.

Theorem oracle_answers_alike : forall failed k y1 y2 y z1 z,
  ~ In k (y1 :: y2 :: y) -> ~ In k (z1 :: y2 :: z) -> (forall x, In x (y1 :: y2 :: y) <-> In x (z1 :: y2 :: z)) ->
  forall q, recall failed q (data k (y1 :: y2 :: y)) = recall failed q (data k (z1 :: y2 :: z)).
Proof.
  intros failed k y1 y2 y z1 z Hy Hz Hs q. destruct (Nat.eq_dec q k) as [->|Nq].
  - rewrite !recall_k; auto; intros ->; [apply Hz|apply Hy]; left; reflexivity.
  - rewrite !recall_symbol by exact Nq.
    destruct (in_dec Nat.eq_dec q (y1 :: y2 :: y)) as [i|n], (in_dec Nat.eq_dec q (z1 :: y2 :: z)) as [i'|n']; auto; exfalso.
    + apply n', Hs, i.
    + apply n, Hs, i'.
Qed.

Section Oracle.
  Variables (h k failed : nat) (symbols : list nat) (y2 : nat).
  Hypothesis symbols_differ : NoDup symbols.
  Hypothesis y2_occurs : In y2 symbols.
  Hypothesis k_is_no_symbol : ~ In k symbols.

  (** The sequences y of h + 2 symbols that have the second symbol y2 and exactly these symbols. *)
  Definition with_second (z : list nat) : list nat := match z with y1 :: y => y1 :: y2 :: y | [] => [] end.
  Definition sequences : list (list nat) :=
    map with_second (onto (S h) symbols ++ onto (S h) (remove Nat.eq_dec y2 symbols)).

  Lemma sequences_length : length symbols * length sequences = surj (S (S h)) (length symbols).
  Proof.
    unfold sequences. rewrite map_length, app_length, !onto_length by auto using remove_nodup.
    pose proof (remove_length symbols y2 symbols_differ y2_occurs) as L.
    replace (length (remove Nat.eq_dec y2 symbols)) with (length symbols - 1) by lia.
    destruct (length symbols) as [|s] eqn:E; [lia|]. rewrite Nat.sub_succ, Nat.sub_0_r. reflexivity.
  Qed.

  Lemma sequences_spec : forall y, In y sequences -> exists y1 r, y = y1 :: y2 :: r /\ length r = h /\ forall x,
    In x y <-> In x symbols.
  Proof.
    intros y Hy. apply in_map_iff in Hy. destruct Hy as (z & <- & Hz). apply in_app_iff in Hz.
    destruct Hz as [Hz|Hz]; apply onto_spec in Hz; auto using remove_nodup; destruct Hz as [L E];
      destruct z as [|y1 r]; try discriminate; exists y1, r; (split; [reflexivity|split; [simpl in L; lia|]]); intros x;
        simpl; specialize (E x); simpl in E.
    - split; [intros [->|[->|H]]; tauto|]. intros H. apply E in H. tauto.
    - split.
      + intros [->|[->|H]]; auto; [assert (In x (remove Nat.eq_dec y2 symbols)) as G by tauto|
          assert (In x (remove Nat.eq_dec y2 symbols)) as G by tauto];
          apply in_remove in G; tauto.
      + intros H. destruct (Nat.eq_dec x y2) as [->|N]; auto.
        assert (In x (remove Nat.eq_dec y2 symbols)) as G by (apply in_in_remove; auto).
        apply E in G. tauto.
  Qed.

  Lemma sequences_nodup : NoDup sequences.
  Proof.
    assert (G : forall l, NoDup l -> (forall z, In z l -> z <> []) -> NoDup (map with_second l)).
    { induction l as [|z l IH]; intros Hn Hl; simpl; constructor; inversion Hn; subst.
      - intros Hin. apply in_map_iff in Hin. destruct Hin as (u & E & Hu).
        destruct z as [|a z]; [apply (Hl []); simpl; auto|]. destruct u as [|b u]; [apply (Hl []); simpl; auto|].
        injection E as -> ->. contradiction.
      - apply IH; auto. intros u Hu. apply Hl. right. exact Hu. }
    apply G.
    - apply NoDup_app_disjoint; try (apply onto_nodup; auto using remove_nodup).
      intros w Hw Hw'. apply onto_spec in Hw; auto. apply onto_spec in Hw'; auto using remove_nodup.
      assert (In y2 w) as H by (apply Hw; exact y2_occurs). apply Hw' in H. apply in_remove in H. tauto.
    - intros z Hz ->. apply in_app_iff in Hz.
      destruct Hz as [Hz|Hz]; apply onto_spec in Hz; auto using remove_nodup; destruct Hz; discriminate.
  Qed.

  (** The model: a state after the data, and an answer from the state, the oracle and i. *)
  Variable State : Type.
  Variable state : list nat -> State.
  Variable number : State -> nat.
  Variable answer : State -> (nat -> nat) -> nat -> nat.
  Variable n : nat.
  (** An oracle is used by its answers: two that answer alike lead to the same answer of the model. *)
  Hypothesis answers_matter : forall s o o' i, (forall q, o q = o' q) -> answer s o i = answer s o' i.

  Theorem recall_oracle_state :
    (forall y, In y sequences -> number (state (data k y)) < n) ->
    (forall y y', In y sequences -> In y' sequences -> number (state (data k y)) = number (state (data k y')) ->
      state (data k y) = state (data k y')) ->
    (forall y i, In y sequences -> i < length y ->
      answer (state (data k y)) (fun q => recall failed q (data k y)) i = nth i y 0) ->
    length sequences <= n.
  Proof.
    intros Hlt Hinj Hr. destruct (le_lt_dec (length sequences) n) as [H|H]; auto. exfalso.
    destruct (pigeonhole (fun y => number (state (data k y))) n sequences sequences_nodup Hlt H) as (y & z & Hy & Hz & Ne & E).
    specialize (Hinj y z Hy Hz E).
    destruct (sequences_spec y Hy) as (a & r & Ey & Lr & Sy), (sequences_spec z Hz) as (b & t & Ez & Lt & Sz).
    assert (L : length y = length z) by (rewrite Ey, Ez; simpl; lia).
    destruct (words_differ y z 0 L Ne) as (i & Hi & D). apply D.
    rewrite <- (Hr y i Hy Hi), <- (Hr z i Hz ltac:(lia)), Hinj. apply answers_matter. intros q.
    rewrite Ey, Ez. apply oracle_answers_alike.
    - rewrite <- Ey, Sy. exact k_is_no_symbol.
    - rewrite <- Ez, Sz. exact k_is_no_symbol.
    - intros x. rewrite <- Ey, <- Ez, Sy, Sz. reflexivity.
  Qed.
End Oracle.

(** For two symbols and three places: 2^(h-1) - 1 = 3 sequences, surj(3, 2) / 2. *)
Example three_sequences : length (sequences 1 [0; 1] 0) = 3 /\ surj 3 2 = 6.
Proof. split; reflexivity. Qed.

(** A model whose state is the data meets the hypotheses; its answer needs no oracle. *)
Example data_as_state : length (sequences 1 [0; 1] 0) <= 3 /\
  forall q, recall 9 q (data 2 [1; 0; 1]) = recall 9 q (data 2 [0; 0; 1]).
Proof.
  assert (N : NoDup [0; 1]) by (repeat constructor; simpl; intuition discriminate).
  split.
  - apply (recall_oracle_state 1 2 9 [0; 1] 0 N (or_introl eq_refl) ltac:(simpl; intuition discriminate) (list nat) (fun w => w)
      (fun w => 2 * nth 0 w 0 + nth 4 w 0 - 1) (fun w _ i => nth (2 * i) w 0)).
    + reflexivity.
    + intros y H. vm_compute in H. intuition (subst; vm_compute; lia).
    + intros y y' H H'. vm_compute in H, H'. intuition (subst; try reflexivity; discriminate).
    + intros y i H. vm_compute in H. intuition (subst; destruct i as [|[|[|i]]]; try reflexivity; simpl in *; lia).
  - apply oracle_answers_alike; [simpl; intuition discriminate|simpl; intuition discriminate|].
    intros x. simpl. intuition.
Qed.
