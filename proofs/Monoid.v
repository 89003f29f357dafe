(** The algebra of bounded bracket words: it is aperiodic, and not in the class DA.

    In words. Two strings of brackets are congruent if each can replace the other in every word of Dyck-(n,k). The classes are
    the syntactic monoid of the language.
    - For every string w, w^(k+2) and w^(k+3) are congruent ([aperiodic]). So the monoid has no group in it except the trivial
      one.
    - In a monoid in DA, e y e = e for each idempotent e = x y z. Here e = "()" is an idempotent, y = "(" and e y e is another
      element, if k >= 1 ([not_in_da]).

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix E; the proof for all n and k is our own.
    In Python: [bounded-dyck-monoid].

    The hypotheses, for a real model: there are none. The statements are about the language; what they cost two parties is in
    [Protocols] and [Dyck]. *)

From Coq Require Import List Arith Lia.
From Seqsep Require Import Words Dyck.
Import ListNotations.

Section Monoid.
  Variable k : nat.

  Definition congruent (u v : list bracket) : Prop := forall x y, is_word k (x ++ u ++ y) = is_word k (x ++ v ++ y).

  (** w written m times. *)
  Fixpoint power (w : list bracket) (m : nat) : list bracket := match m with 0 => [] | S m => w ++ power w m end.

  (** Strings with equal effects on all stacks of at most k brackets are congruent. *)
  Lemma depth_kept : forall w s t, length s <= k -> stack_after k (Some s) w = Some t -> length t <= k.
  Proof.
    unfold stack_after. induction w as [|b w IH]; intros s t Hs H; simpl in H; [injection H as <-; exact Hs|].
    destruct b as [a|a].
    - destruct (Nat.ltb_spec (length s) k); [apply (IH (a :: s)); simpl; auto|].
      change (stack_after k None w = Some t) in H. rewrite stack_after_none in H. discriminate.
    - destruct s as [|c s]; [change (stack_after k None w = Some t) in H; rewrite stack_after_none in H; discriminate|].
      destruct (c =? a); [apply (IH s); simpl in *; auto; lia|].
      change (stack_after k None w = Some t) in H. rewrite stack_after_none in H. discriminate.
  Qed.

  Lemma equal_effect : forall u v,
    (forall s, length s <= k -> stack_after k (Some s) u = stack_after k (Some s) v) -> congruent u v.
  Proof.
    intros u v H x y. unfold is_word. rewrite !stack_after_app.
    destruct (stack_after k (Some []) x) as [s|] eqn:E; [|rewrite !stack_after_none; reflexivity].
    rewrite H; [reflexivity|]. apply (depth_kept x [] s); [simpl; lia|exact E].
  Qed.

  (** The effect of a string: it needs the brackets P on top of the stack, and replaces them by Q. *)
  Lemma effect : forall w, exists P Q, forall s s', stack_after k (Some s) w = Some s' -> exists t, s = P ++ t /\ s' = Q ++ t.
  Proof.
    induction w as [|b w IH] using rev_ind.
    - exists [], []. intros s s' H. injection H as <-. exists s. auto.
    - destruct IH as (P & Q & IH). destruct b as [a|a].
      + exists P, (a :: Q). intros s s' H. rewrite stack_after_app in H.
        destruct (stack_after k (Some s) w) as [r|] eqn:E; [|discriminate H].
        destruct (IH s r E) as (t & -> & ->). exists t. split; auto.
        unfold stack_after in H. simpl in H. destruct (length (Q ++ t) <? k); [injection H as <-; reflexivity|discriminate].
      + destruct Q as [|c Q].
        * exists (P ++ [a]), []. intros s s' H. rewrite stack_after_app in H.
          destruct (stack_after k (Some s) w) as [r|] eqn:E; [|discriminate H].
          destruct (IH s r E) as (t & -> & ->). simpl in H. unfold stack_after in H. simpl in H.
          destruct t as [|d t]; [discriminate|]. destruct (Nat.eqb_spec d a) as [->|]; [|discriminate].
          injection H as <-. exists t. rewrite <- app_assoc. auto.
        * exists P, Q. intros s s' H. rewrite stack_after_app in H.
          destruct (stack_after k (Some s) w) as [r|] eqn:E; [|discriminate H].
          destruct (IH s r E) as (t & -> & ->). exists t. split; auto.
          unfold stack_after in H. simpl in H. destruct (c =? a); [injection H as <-; reflexivity|discriminate].
  Qed.

  (** After m times the stack is m (|Q| - |P|) higher. *)
  Lemma power_height : forall w P Q, (forall s s', stack_after k (Some s) w = Some s' -> exists t, s = P ++ t /\ s' = Q ++ t) ->
    forall m s s', stack_after k (Some s) (power w m) = Some s' -> length s' + m * length P = length s + m * length Q.
  Proof.
    intros w P Q E. induction m as [|m IH]; intros s s' H; [injection H as <-; lia|].
    simpl in H. rewrite stack_after_app in H. destruct (stack_after k (Some s) w) as [r|] eqn:F.
    - destruct (E s r F) as (t & -> & ->). specialize (IH _ _ H). rewrite !app_length in *. lia.
    - rewrite stack_after_none in H. discriminate.
  Qed.

  (** A string that acts twice and keeps the height changes nothing the second time. *)
  Lemma fixed_power : forall w s, stack_after k (Some s) w = Some s -> forall m, stack_after k (Some s) (power w m) = Some s.
  Proof. intros w s H. induction m as [|m IH]; [reflexivity|]. simpl. rewrite stack_after_app, H. exact IH. Qed.

  Theorem aperiodic : forall w, congruent (power w (k + 2)) (power w (k + 3)).
  Proof.
    intros w. apply equal_effect. intros s Hs. destruct (effect w) as (P & Q & E).
    destruct (Nat.eq_dec (length P) (length Q)) as [L|L].
    - (* The height stays: after one w, w does nothing, or has no effect any more. *)
      replace (k + 3) with (S (S (k + 1))) by lia. replace (k + 2) with (S (S k)) by lia. simpl. rewrite !stack_after_app.
      destruct (stack_after k (Some s) w) as [r|] eqn:F; [|rewrite !stack_after_none; reflexivity].
      destruct (stack_after k (Some r) w) as [q|] eqn:G; [|rewrite !stack_after_none; reflexivity].
      destruct (E s r F) as (t & -> & ->). destruct (E _ _ G) as (t' & A & ->).
      assert (P = Q /\ t = t') as [<- <-].
      { split; [apply (f_equal (firstn (length Q))) in A|apply (f_equal (skipn (length Q))) in A].
        - rewrite <- L in A at 2. rewrite !firstn_app, !firstn_all, !Nat.sub_diag, !firstn_O, !app_nil_r in A. auto.
        - rewrite <- L in A at 2. rewrite !skipn_app, !skipn_all, !Nat.sub_diag, !skipn_O in A. exact A. }
      rewrite !fixed_power by exact G. reflexivity.
    - (* The height changes each time, so both are undefined. *)
      assert (None_ : forall m, k + 1 <= m -> stack_after k (Some s) (power w m) = None).
      { intros m Hm. destruct (stack_after k (Some s) (power w m)) as [s'|] eqn:F; auto. exfalso.
        pose proof (power_height w P Q E m s s' F) as H. pose proof (depth_kept _ _ _ Hs F) as D. nia. }
      rewrite !None_ by lia. reflexivity.
  Qed.

  Definition pair_of (a : nat) : list bracket := [Open a; Close a].

  (** The idempotent e = x y z with e y e <> e. *)
  Theorem not_in_da : forall a, 1 <= k -> exists x y z,
    congruent (pair_of a ++ pair_of a) (pair_of a) /\ pair_of a = x ++ y ++ z /\
      ~ congruent (pair_of a ++ y ++ pair_of a) (pair_of a).
  Proof.
    intros a Hk. exists [], [Open a], [Close a]. split; [|split; [reflexivity|]].
    - apply equal_effect. intros s Hs. unfold pair_of, stack_after. simpl.
      destruct (length s <? k) eqn:H; simpl; [|reflexivity]. rewrite Nat.eqb_refl. simpl.
      rewrite H. simpl. rewrite Nat.eqb_refl. reflexivity.
    - intros C. specialize (C [] []). unfold is_word, pair_of, stack_after in C. simpl in C.
      assert (H : (0 <? k) = true) by (apply Nat.ltb_lt; lia). rewrite H in C. simpl in C. rewrite Nat.eqb_refl in C.
      simpl in C.
      rewrite H in C. simpl in C. destruct (1 <? k); simpl in C; rewrite ?Nat.eqb_refl in C; discriminate.
  Qed.
End Monoid.

(** A string that needs the power: "(" has k different powers that are not 0, so w and w^2 are not congruent for k >= 2. *)
Example open_grows : ~ congruent 2 (power [Open 0] 1) (power [Open 0] 2).
Proof. intros C. specialize (C [] [Close 0]). discriminate C. Qed.

Example not_in_da_of_depth_one : exists x y z, congruent 1 (pair_of 0 ++ pair_of 0) (pair_of 0) /\ pair_of 0 = x ++ y ++ z /\
  ~ congruent 1 (pair_of 0 ++ y ++ pair_of 0) (pair_of 0).
Proof. apply not_in_da. lia. Qed.
