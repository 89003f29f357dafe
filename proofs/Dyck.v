(** Bracket words of bounded depth: the states of a recurrent model, the fooling set of Lemma 1, and one layer.

    In words. Dyck-(n,k) has the words of correctly nested brackets of n kinds that are at most k deep.
    - Every recurrent model that recognises it has at least n^k states after k open brackets. A model whose state is the stack
      is right on every string ([bounded_dyck_enough]).
    - Take the words of depth at most 2 and of 2 (l + 1) brackets, each split into its odd and its even positions. They are a
      fooling set of Dyck-(n,k) for every k >= 2. There are n (2n)^l of them.
    - So a one-layer model on the grid that recognises Dyck-(n,k) has n (2n)^l <= 2^message_bits. For n = 2 this is
      N - 1 <= message_bits, with N = 2 (l + 1) brackets.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 1, Theorems 5 and 10, appendix E.
    In Python: [bounded-dyck-state] and [bounded-dyck-one-layer].

    The hypotheses, for a real model: recognition is asked for every string of 2 (l + 1) brackets of n kinds, also for those
    that are not words. See [OneWay] and [OneLayer] for the others. *)

From Coq Require Import List Arith Lia ZArith FinFun.
From Seqsep Require Import Words OneWay Protocols OneLayer OneLayerBounds.
Import ListNotations.
Local Open Scope nat_scope.

Inductive bracket := Open (a : nat) | Close (a : nat).

(** One bracket read with a stack of at most [k] open brackets; None: no continuation is a word. *)
Definition push_pop (k : nat) (s : option (list nat)) (b : bracket) : option (list nat) :=
  match s with
  | None => None
  | Some s =>
    match b with
    | Open a => if length s <? k then Some (a :: s) else None
    | Close b => match s with a :: s => if a =? b then Some s else None | [] => None end
    end
  end.

Definition stack_after (k : nat) (s : option (list nat)) (w : list bracket) : option (list nat) := fold_left (push_pop k) w s.

Definition is_word (k : nat) (w : list bracket) : bool :=
  match stack_after k (Some []) w with Some [] => true | _ => false end.

Lemma stack_after_app : forall k w v s, stack_after k s (w ++ v) = stack_after k (stack_after k s w) v.
Proof. intros. apply fold_left_app. Qed.

Lemma stack_after_none : forall k w, stack_after k None w = None.
Proof. induction w as [|b w IH]; auto. Qed.

(** The state of a recurrent model: stacks of depth k. *)
Lemma opens : forall k w s, length w + length s <= k -> stack_after k (Some s) (map Open w) = Some (rev w ++ s).
Proof.
  unfold stack_after. induction w as [|a w IH]; intros s H; [reflexivity|]. simpl in H.
  cbn [map fold_left push_pop rev]. destruct (Nat.ltb_spec (length s) k); [|lia]. cbv iota.
  rewrite IH by (simpl; lia). rewrite <- app_assoc. reflexivity.
Qed.

Lemma closes : forall k s t, stack_after k (Some (s ++ t)) (map Close s) = Some t.
Proof.
  induction s as [|a s IH]; intros t; simpl; auto. unfold stack_after in *. simpl. rewrite Nat.eqb_refl. apply IH.
Qed.

Lemma closes_only : forall k s s', length s = length s' -> stack_after k (Some s) (map Close s') = Some [] -> s = s'.
Proof.
  induction s as [|a s IH]; intros [|b s'] L H; simpl in *; try discriminate; auto.
  unfold stack_after in *. simpl in H. destruct (Nat.eqb_spec a b) as [->|].
  - f_equal. apply IH; auto.
  - change (stack_after k None (map Close s') = Some []) in H. rewrite stack_after_none in H. discriminate.
Qed.

Section State.
  Variables n k : nat.

  Definition is_dyck (w : list bracket) : Prop := length w = 2 * k.

  Theorem bounded_dyck_state : forall (M : Recurrent bracket) d answer m,
    1 <= k -> answers_as bracket bool M d answer -> is_right bracket bool is_dyck (is_word k) answer ->
    states_below bracket M m (map (map Open) (words (seq 0 n) k)) -> n ^ k <= m.
  Proof.
    intros M d answer m Hk Ha Hr Hs.
    set (P := map (map Open) (words (seq 0 n) k)) in *.
    replace (n ^ k) with (length P) by (unfold P; rewrite map_length, words_length, seq_length; reflexivity).
    eapply states_needed with (K := k); eauto using Bool.bool_dec.
    - apply Injective_map_NoDup; [|apply words_nodup, seq_NoDup].
      intros u. induction u as [|a u IH]; intros [|b v] E; simpl in E; try discriminate; auto.
      injection E as -> E. f_equal. apply IH. exact E.
    - intros p Hp. apply in_map_iff in Hp. destruct Hp as (w & <- & Hw). apply in_words in Hw. rewrite map_length. tauto.
    - intros p p' Hp Hp' Ne. apply in_map_iff in Hp, Hp'. destruct Hp as (u & <- & Hu), Hp' as (v & <- & Hv).
      apply in_words in Hu, Hv. destruct Hu as [Lu _], Hv as [Lv _].
      exists (map Close (rev u)). unfold is_dyck. rewrite !app_length, !map_length, rev_length. repeat split; try lia.
      unfold is_word. rewrite !stack_after_app, !opens by (simpl; lia). rewrite !app_nil_r.
      rewrite <- (app_nil_r (rev u)) at 1. rewrite closes.
      destruct (stack_after k (Some (rev v)) (map Close (rev u))) as [[|]|] eqn:E; try discriminate.
      exfalso. apply closes_only in E; [|rewrite !rev_length; lia]. apply Ne. f_equal.
      rewrite <- (rev_involutive u), <- (rev_involutive v), E. reflexivity.
  Qed.
End State.

(** The stack as a recurrent model: it is right after every word, at every length. *)
Definition stack_model (k : nat) : Recurrent bracket :=
  {| State := option (list nat); start := Some []; step := fun _ s b => push_pop k s b |}.

Theorem bounded_dyck_enough : forall k w,
  answer_of_state bracket bool (stack_model k) (fun s => match s with Some [] => true | _ => false end) w = is_word k w.
Proof.
  intros k w. unfold answer_of_state, after, is_word.
  assert (G : forall w t s, run bracket (stack_model k) t s w = stack_after k s w).
  { clear. induction w as [|b w IH]; intros t s; simpl; auto. }
  rewrite G. reflexivity.
Qed.

(** A block of two brackets inside a word of depth at most 2: [Turn b] closes the open bracket and opens b at depth 1, [Nest b]
    opens and closes b at depth 2. Bob has the first bracket of a block, Alice the second. *)
Inductive block := Turn (b : nat) | Nest (b : nat).

(** Alice's brackets (odd positions) and Bob's (even positions), of a word whose open bracket at depth 1 is [a]. *)
Fixpoint odd_half (blocks : list block) : list bracket :=
  match blocks with
  | [] => []
  | Turn b :: rest => Open b :: odd_half rest
  | Nest b :: rest => Close b :: odd_half rest
  end.

Fixpoint even_half (a : nat) (blocks : list block) : list bracket :=
  match blocks with
  | [] => [Close a]
  | Turn b :: rest => Close a :: even_half b rest
  | Nest b :: rest => Open b :: even_half a rest
  end.

(** Alice's bracket, Bob's, Alice's, .. *)
Fixpoint mixed (x y : list bracket) : list bracket :=
  match x with [] => y | b :: x => b :: match y with [] => x | c :: y => c :: mixed x y end end.

Lemma mixed_cons : forall b x c y, mixed (b :: x) (c :: y) = b :: c :: mixed x y.
Proof. reflexivity. Qed.

Lemma mixed_swap : forall x a y, mixed (a :: x) y = a :: mixed y x.
Proof.
  induction x as [|c x IH]; intros a [|b y]; try reflexivity. rewrite mixed_cons, IH. reflexivity.
Qed.

(** Both mixed inputs of two words are words only if the two words are the same. *)
Lemma fooling_blocks : forall k u v a a', 2 <= k -> length u = length v ->
  stack_after k (Some [a]) (mixed (even_half a' v) (odd_half u)) = Some [] ->
  stack_after k (Some [a']) (mixed (even_half a u) (odd_half v)) = Some [] ->
  a = a' /\ u = v.
Proof.
  intros k u v a a' Hk. revert v a a'.
  assert (Dead : forall w, stack_after k None w = Some [] -> False) by (intros w; rewrite stack_after_none; discriminate).
  destruct k as [|[|k]]; try lia.
  induction u as [|c u IH]; intros [|c' v] a a' L H H'; simpl in L; try discriminate.
  - unfold stack_after in H. simpl in H. destruct (Nat.eqb_spec a a'); [auto|discriminate].
  - injection L as L. destruct c as [b|b], c' as [b'|b']; cbn [odd_half even_half] in H, H'; rewrite mixed_cons in H, H';
      unfold stack_after in H, H'; cbn [fold_left push_pop] in H, H'.
    + destruct (Nat.eqb_spec a a') as [->|]; [|exfalso; eapply Dead; exact H].
      rewrite Nat.eqb_refl in H'. cbn [length Nat.ltb Nat.leb push_pop] in H, H'.
      destruct (IH v b b' L H H') as [-> ->]. auto.
    + exfalso. destruct (a' =? a); cbn in H'; eapply Dead; exact H'.
    + exfalso. destruct (a =? a'); cbn in H; eapply Dead; exact H.
    + cbn [length Nat.ltb Nat.leb push_pop] in H, H'.
      destruct (Nat.eqb_spec b' b) as [->|]; [|exfalso; eapply Dead; exact H].
      rewrite Nat.eqb_refl in H'. destruct (IH v a a' L H H') as [-> ->]. auto.
Qed.

Section FoolingSet.
  Variables n k l : nat.
  Hypothesis depth_two : 2 <= k.

  Definition blocks : list (list block) := words (map Turn (seq 0 n) ++ map Nest (seq 0 n)) l.

  (** A word: its first bracket, and its blocks. *)
  Definition dyck_words : list (nat * list block) := list_prod (seq 0 n) blocks.

  Lemma list_prod_nodup : forall {A B} (x : list A) (y : list B), NoDup x -> NoDup y -> NoDup (list_prod x y).
  Proof.
    induction x as [|a x IH]; intros y Hx Hy; simpl; [constructor|]. inversion Hx; subst. apply NoDup_app_disjoint; auto.
    - apply Injective_map_NoDup; auto. intros p q E. congruence.
    - intros [p q] Hp Hp'. apply in_map_iff in Hp. destruct Hp as (? & E & _). injection E as <- _.
      apply in_prod_iff in Hp'. tauto.
  Qed.

  Lemma dyck_words_nodup : NoDup dyck_words.
  Proof.
    apply list_prod_nodup; [apply seq_NoDup|]. apply words_nodup, NoDup_app_disjoint.
    - apply Injective_map_NoDup; [intros x y E; congruence|apply seq_NoDup].
    - apply Injective_map_NoDup; [intros x y E; congruence|apply seq_NoDup].
    - intros x Hx Hx'. apply in_map_iff in Hx, Hx'. destruct Hx as (? & <- & _), Hx' as (? & E & _). discriminate.
  Qed.

  Lemma dyck_words_length : length dyck_words = n * (2 * n) ^ l.
  Proof.
    unfold dyck_words, blocks. rewrite prod_length, words_length, app_length, !map_length, !seq_length. f_equal. f_equal. lia.
  Qed.

  Definition alices_half (w : nat * list block) : list bracket := Open (fst w) :: odd_half (snd w).
  Definition bobs_half (w : nat * list block) : list bracket := even_half (fst w) (snd w).

  Lemma after_first : forall a x y, stack_after k (Some []) (mixed (Open a :: x) y) = stack_after k (Some [a]) (mixed y x).
  Proof.
    intros a x y.
    rewrite mixed_swap. unfold stack_after. simpl. destruct k; [lia|]. reflexivity.
  Qed.

  (** Every one of them is a word of Dyck-(n,k). *)
  Lemma dyck_words_are_words : forall u a,
    stack_after k (Some [a]) (mixed (even_half a u) (odd_half u)) = Some [].
  Proof.
    induction u as [|c u IH]; intros a; unfold stack_after in *.
    - simpl. rewrite Nat.eqb_refl. reflexivity.
    - destruct c as [b|b]; cbn [odd_half even_half]; rewrite mixed_cons; cbn [fold_left push_pop].
      + rewrite Nat.eqb_refl. cbn [length push_pop]. destruct (Nat.ltb_spec 0 k); [apply IH|lia].
      + cbn [length]. destruct (Nat.ltb_spec 1 k); [|lia]. cbn [push_pop]. rewrite Nat.eqb_refl. apply IH.
  Qed.

  (** Lemma 1. *)
  Theorem dyck_fooling_set : is_fooling _ _ _ (fun x y => is_word k (mixed x y)) true
    (map (fun w => (alices_half w, bobs_half w)) dyck_words).
  Proof.
    split.
    - intros s Hs. apply in_map_iff in Hs. destruct Hs as ([a u] & <- & _). simpl fst. simpl snd.
      unfold is_word, alices_half, bobs_half. simpl fst. simpl snd. rewrite after_first, dyck_words_are_words. reflexivity.
    - intros s s' Hs Hs' Ne. apply in_map_iff in Hs, Hs'.
      destruct Hs as ([a u] & <- & Hu), Hs' as ([a' v] & <- & Hv).
      apply in_prod_iff in Hu, Hv. destruct Hu as [_ Hu], Hv as [_ Hv]. apply in_words in Hu, Hv.
      unfold is_word, alices_half, bobs_half. cbn [fst snd]. rewrite !after_first.
      destruct (stack_after k (Some [a]) (mixed (even_half a' v) (odd_half u))) as [[|]|] eqn:E; try (left; discriminate).
      destruct (stack_after k (Some [a']) (mixed (even_half a u) (odd_half v))) as [[|]|] eqn:E'; try (right; discriminate).
      exfalso. destruct (fooling_blocks k u v a a' depth_two) as [-> ->]; auto. destruct Hu, Hv. congruence.
  Qed.

  Lemma halves_injective : forall w w', In w dyck_words -> In w' dyck_words ->
    (alices_half w, bobs_half w) = (alices_half w', bobs_half w') -> w = w'.
  Proof.
    intros [a u] [a' v] Hw Hw' E. apply in_prod_iff in Hw, Hw'. destruct Hw as [_ Hu], Hw' as [_ Hv]. apply in_words in Hu, Hv.
    injection E as Ea Eo Ee. subst a'. unfold bobs_half in Ee. cbn [fst snd] in Ee. f_equal.
    destruct (fooling_blocks k u v a a depth_two) as [_ R]; auto.
    - destruct Hu, Hv. congruence.
    - rewrite <- Ee. apply dyck_words_are_words.
    - rewrite Ee. apply dyck_words_are_words.
  Qed.

  Lemma halves_nodup : NoDup (map (fun w => (alices_half w, bobs_half w)) dyck_words).
  Proof.
    apply NoDup_map_different; [|apply dyck_words_nodup]. intros w w' Hw Hw' Ne E. apply Ne, halves_injective; auto.
  Qed.

  Lemma halves_lengths : forall w, In w dyck_words -> length (alices_half w) = S l /\ length (bobs_half w) = S l.
  Proof.
    intros [a u] Hw. apply in_prod_iff in Hw. destruct Hw as [_ Hu]. apply in_words in Hu. destruct Hu as [<- _].
    unfold alices_half, bobs_half. cbn [fst snd]. revert a.
    induction u as [|c u IH]; intros a; [auto|]. simpl.
    destruct c as [b|b]; simpl; [destruct (IH b)|destruct (IH a)]; simpl in *; lia.
  Qed.

  (** Two parties that recognise Dyck-(n,k), for the odd and the even positions of strings of 2 (l + 1) brackets of n kinds. *)
  Definition kinds_below (x : list bracket) : Prop := forall a, In (Open a) x \/ In (Close a) x -> a < n.
  Definition is_side (x : list bracket) : Prop := length x = S l /\ kinds_below x.

  Lemma halves_kinds : forall w, In w dyck_words -> kinds_below (alices_half w) /\ kinds_below (bobs_half w).
  Proof.
    intros [a u] Hw. apply in_prod_iff in Hw. destruct Hw as [Ha Hu]. apply in_seq in Ha. apply in_words in Hu.
    destruct Hu as [_ Hu]. unfold alices_half, bobs_half. cbn [fst snd].
    assert (Hb : forall b, In b u -> exists c, c < n /\ (b = Turn c \/ b = Nest c)).
    { intros b H. apply Hu, in_app_iff in H. destruct H as [H|H]; apply in_map_iff in H; destruct H as (c & <- & Hc);
        apply in_seq in Hc; exists c; (split; [lia|auto]). }
    assert (A : a < n) by lia. clear Hu Ha. revert a A. induction u as [|b u IH]; intros a A.
    - split; intros c [[E|[]]|[E|[]]]; first [discriminate E|injection E as <-; exact A].
    - assert (Hr : forall d, In d u -> exists c, c < n /\ (d = Turn c \/ d = Nest c)) by (intros d H; apply Hb; right; exact H).
      destruct (Hb b (or_introl eq_refl)) as (c & Hc & [->| ->]); cbn [odd_half even_half].
      + destruct (IH Hr c Hc) as [P Q]. split; intros x [[E|H]|[E|H]]; try discriminate E; try (injection E as <-; assumption).
        * apply (P x). simpl in *. tauto.
        * apply (P x). simpl in *. tauto.
        * apply (Q x). tauto.
        * apply (Q x). tauto.
      + destruct (IH Hr a A) as [P Q]. split; intros x [[E|H]|[E|H]]; try discriminate E; try (injection E as <-; assumption).
        * apply (P x). simpl in *. destruct H as [H|H]; [discriminate H|tauto].
        * destruct H as [H|H]; [injection H as <-; exact Hc|]. apply (P x). simpl. tauto.
        * apply (Q x). tauto.
        * apply (Q x). tauto.
  Qed.

  Lemma halves_are_sides : forall w, In w dyck_words -> is_side (alices_half w) /\ is_side (bobs_half w).
  Proof. intros w Hw. destruct (halves_lengths w Hw), (halves_kinds w Hw). repeat split; auto. Qed.

  Theorem dyck_costs : forall p out,
    keeps_to_range _ _ p -> bob_learns_on _ _ _ (fun x y => is_word k (mixed x y)) is_side is_side p out ->
    n * (2 * n) ^ l <= 2 ^ cost _ _ p.
  Proof.
    intros p out Hr Hb. rewrite <- dyck_words_length.
    rewrite <- (map_length (fun w => (alices_half w, bobs_half w)) dyck_words).
    eapply (fooling_set_on _ _ _ _ is_side is_side); eauto using dyck_fooling_set, halves_nodup.
    intros s Hs. apply in_map_iff in Hs. destruct Hs as (w & <- & Hw). apply halves_are_sides. exact Hw.
  Qed.

  (** The position i of the mixed input. *)
  Lemma mixed_nth : forall d x y i, length x = length y -> i < length x + length y ->
    nth i (mixed x y) d = if Nat.even i then nth (i / 2) x d else nth (i / 2) y d.
  Proof.
    intros d x. induction x as [|b x IH]; intros [|c y] i L Hi; simpl in L; try discriminate; [simpl in Hi; lia|].
    rewrite mixed_cons. destruct i as [|[|i]]; [reflexivity|reflexivity|]. simpl in Hi.
    cbn [nth]. rewrite IH by lia. replace (S (S i)) with (i + 1 * 2) by lia. rewrite Nat.div_add by lia.
    rewrite Nat.add_1_r. cbn [nth]. replace (Nat.even (i + 1 * 2)) with (Nat.even i); [reflexivity|].
    replace (i + 1 * 2) with (S (S i)) by lia. reflexivity.
  Qed.

  (** One attention layer. Positions are counted from 0 here, so Alice has the even numbers. *)
  Variables (H m kq dq : nat) (L : Z) (nearest : bool) (Answer : Type) (yes : Answer).
  Variable model : grid_layer bracket Answer H m kq dq L.

  Definition recognises : Prop :=
    forall w, length w = 2 * S l -> kinds_below w ->
    (answer bracket Answer (2 * S l) H m kq dq L nearest model (fun i => nth i w (Close 0)) = yes <-> is_word k w = true).

  Lemma mixed_length : forall x y, length x = length y -> length (mixed x y) = length x + length y.
  Proof. induction x as [|b x IH]; intros [|c y] E; simpl in *; try discriminate; auto. rewrite IH by lia. lia. Qed.

  Lemma mixed_kinds : forall x y, kinds_below x -> kinds_below y -> kinds_below (mixed x y).
  Proof.
    assert (G : forall x y b, In b (mixed x y) -> In b x \/ In b y).
    { induction x as [|b x IH]; intros [|c y] d; simpl; auto. intros [Q|[Q|Q]]; auto. destruct (IH y d Q); auto. }
    intros x y Hx Hy a [Q|Q]; apply G in Q; destruct Q; [apply Hx|apply Hy|apply Hx|apply Hy]; auto.
  Qed.

  Theorem bounded_dyck_one_layer : 1 <= kq -> (1 <= L)%Z -> recognises ->
    n * (2 * n) ^ l <= 2 ^ message_bits nearest (2 * S l) H m kq dq L.
  Proof.
    intros Hkq HL Hd.
    rewrite <- dyck_words_length, <- (map_length (fun w => (alices_half w, bobs_half w)) dyck_words).
    set (enc := fun (x : list bracket) i => nth (i / 2) x (Close 0)).
    assert (Hb : Nat.even (2 * S l - 1) = false).
    { replace (2 * S l - 1) with (S (2 * l)) by lia. rewrite Nat.even_succ, Nat.odd_mul. reflexivity. }
    assert (E : forall x y, length x = S l -> length y = S l ->
      answer bracket Answer (2 * S l) H m kq dq L nearest model (split bracket Nat.even (enc x) (enc y)) =
      answer bracket Answer (2 * S l) H m kq dq L nearest model (fun i => nth i (mixed x y) (Close 0))).
    { intros x y Lx Ly. apply forward_ext; [lia|]. intros i Hi. unfold split, enc. rewrite mixed_nth by lia. reflexivity. }
    destruct dyck_fooling_set as [Hv Hf].
    assert (Hs : forall s, In s (map (fun w => (alices_half w, bobs_half w)) dyck_words) ->
      is_side (fst s) /\ is_side (snd s)).
    { intros s Hin. apply in_map_iff in Hin. destruct Hin as (w & <- & Hw). apply halves_are_sides. exact Hw. }
    apply (one_layer_fooling bracket Answer (2 * S l) H m kq dq L nearest model ltac:(lia) Hkq HL Nat.even Hb enc enc yes);
      [|apply halves_nodup].
    split.
    - intros s Hin. destruct (Hs s Hin) as [[] []]. rewrite E by auto.
      apply Hd; [rewrite mixed_length; lia|apply mixed_kinds; assumption|]. apply Hv. exact Hin.
    - intros s s' Hin Hin' Ne. destruct (Hs s Hin) as [[] []], (Hs s' Hin') as [[] []].
      destruct (Hf s s' Hin Hin' Ne) as [W|W]; [left|right]; rewrite E by auto; intros Y;
        (apply Hd in Y; [|rewrite mixed_length; lia|apply mixed_kinds; assumption]); auto.
  Qed.
End FoolingSet.

(** For two kinds of brackets: N - 1 bits for N = 2 (l + 1) brackets. *)
Corollary bounded_dyck_one_layer_two_kinds : forall k l H m kq dq L nearest Answer (yes : Answer)
  (model : grid_layer bracket Answer H m kq dq L),
  2 <= k -> 1 <= kq -> (1 <= L)%Z -> recognises 2 k l H m kq dq L nearest Answer yes model ->
  2 * l + 1 <= message_bits nearest (2 * S l) H m kq dq L.
Proof.
  intros k l H m kq dq L nearest Answer yes model Hk Hkq HL Hd. apply (Nat.pow_le_mono_r_iff 2); [lia|].
  pose proof (bounded_dyck_one_layer 2 k l Hk H m kq dq L nearest Answer yes model Hkq HL Hd) as B.
  replace (2 ^ (2 * l + 1)) with (2 * (2 * 2) ^ l); [exact B|].
  rewrite Nat.add_1_r, Nat.pow_succ_r'. f_equal. rewrite Nat.pow_mul_r. reflexivity.
Qed.

(** Two words of depth 2, "()[]" and "([])": the two mixed inputs are no words. *)
Example two_words : let u := (0, [Turn 1]) in let v := (0, [Nest 1]) in
  is_word 2 (mixed (alices_half u) (bobs_half u)) = true /\ is_word 2 (mixed (alices_half v) (bobs_half v)) = true /\
  is_word 2 (mixed (alices_half u) (bobs_half v)) = false /\ is_word 2 (mixed (alices_half v) (bobs_half u)) = false.
Proof. repeat split. Qed.

(** The hypotheses are met. A recurrent model: the stack, for two kinds and depth 1. *)
Example two_stacks : 2 ^ 1 <= 2.
Proof.
  apply (bounded_dyck_state 2 1 (stack_model 1) (Close 0) _ 2 ltac:(lia)
    (by_state _ _ (stack_model 1) _ (fun s : option (list nat) => match s with Some [] => true | _ => false end))).
  - intros w _. apply bounded_dyck_enough.
  - exists (fun s : option (list nat) => match s with Some [a] => a | _ => 9 end).
    split; [intros p [<-|[<-|[]]]; simpl; lia|intros p q [<-|[<-|[]]] [<-|[<-|[]]] E; try reflexivity; discriminate].
Qed.

(** Two parties, for two kinds and two brackets: Alice says her kind, and which of both brackets hers is. *)
Definition code (b : bracket) : nat := match b with Open a => Nat.min (2 * a) 3 | Close a => Nat.min (2 * a + 1) 3 end.
Definition uncode (c : nat) : bracket := if Nat.even c then Open (c / 2) else Close (c / 2).

Example two_parties : is_fooling _ _ _ (fun x y => is_word 2 (mixed x y)) true
    (map (fun w => (alices_half w, bobs_half w)) (dyck_words 2 0)) /\ 2 * (2 * 2) ^ 0 <= 2 ^ 2.
Proof.
  split; [apply dyck_fooling_set; lia|].
  apply (dyck_costs 2 2 0 ltac:(lia) (Alice _ _ 4 (fun x => code (hd (Open 0) x)) (fun _ => Done _ _))
    (fun y t => is_word 2 (mixed [uncode (hd 0 t)] y))).
  - split; [|intros i _; exact I]. intros x. unfold code. destruct (hd (Open 0) x); lia.
  - intros x y [Lx Kx] _. destruct x as [|b [|]]; try discriminate Lx. simpl transcript. simpl hd.
    assert (uncode (code b) = b) as ->; [|reflexivity].
    destruct b as [a|a]; (assert (a < 2) by (apply Kx; simpl; auto)); assert (a = 0 \/ a = 1) as [-> | ->] by lia; reflexivity.
Qed.

(** A layer of one head that is right on two brackets of two kinds: only a pair has the values 0 and 10, or 1 and 9. *)
Definition bracket_layer : grid_layer bracket Z 1 1 1 1 4.
Proof.
  refine {| ask := fun _ => [0]; score := fun _ _ _ _ => 0%Z;
            value := fun _ _ _ i b => match i, b with
              | O, Open O => 0%Z | O, Open _ => 1%Z | O, Close _ => 5%Z
              | _, Close O => 10%Z | _, Close _ => 9%Z | _, Open _ => 3%Z end;
            expo := fun d => if (d =? 0)%Z then 4%Z else 0%Z; finish := fun _ sums => hd 0%Z sums |}; intros; try lia.
  - split; [reflexivity|]. intros v [<-|[]]. lia.
  - destruct i, t as [[|]|[|]]; lia.
  - destruct (d =? 0)%Z; lia.
Defined.

Example a_layer_recognises : 2 * (2 * 2) ^ 0 <= 2 ^ message_bits false 2 1 1 1 1 4 /\ 1 <= message_bits false 2 1 1 1 1 4.
Proof.
  assert (R : recognises 2 2 0 1 1 1 1 4 false Z 20%Z bracket_layer).
  { intros w Lw Kw. destruct w as [|b [|c [|]]]; try discriminate Lw.
    assert (K : forall d, In d [b; c] -> d = Open 0 \/ d = Open 1 \/ d = Close 0 \/ d = Close 1).
    { intros [a|a] Hd; (assert (a < 2) by (apply Kw; auto)); assert (a = 0 \/ a = 1) as [-> | ->] by lia; auto. }
    destruct (K b (or_introl eq_refl)) as [-> |[-> |[-> | ->]]],
      (K c (or_intror (or_introl eq_refl))) as [-> |[-> |[-> | ->]]];
      vm_compute; split; intros E; try reflexivity; discriminate E. }
  split; [apply (bounded_dyck_one_layer 2 2 0 ltac:(lia) 1 1 1 1 4 false Z 20%Z bracket_layer); try lia; exact R|].
  apply (bounded_dyck_one_layer_two_kinds 2 0 1 1 1 1 4 false Z 20%Z bracket_layer); try lia; exact R.
Qed.
