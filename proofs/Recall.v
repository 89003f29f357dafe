(** Recall and c-gram retrieval over n numbers: a recurrent model needs about n log2 n bits of state.

    In words. A model reads n numbers below n, and then g = c - 1 numbers, 1 <= g < n. It answers with the number after the
    first place where these g numbers occur in the data, or [failed] if there is none. Every recurrent model that is right on
    all inputs has, after the n numbers,
    - at least n^n - C(n-g+1, 2) n^(n-g) states: one for each sequence in which no g-gram occurs twice;
    - at least n! states for g = 1, associative recall.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), definitions 4.3 and 4.4, and Theorem 4.6; the constants are our own.
    In Python: [recall-state]. The exact least state for c = 2, by counting classes, is not proved here.

    The hypotheses, for a real model: see [OneWay]. A chain of thought is allowed. *)

From Coq Require Import List Arith Lia FinFun Factorial.
From Seqsep Require Import Words OneWay.
Import ListNotations.

Section Recall.
  Variables (n g : nat).
  Hypothesis gram_fits : g < n.

  (** FAILED is the token n. *)
  Notation failed := n.

  Definition gram (w : list nat) (i : nat) : list nat := map (fun r => nth (i + r) w failed) (seq 0 g).

  Definition retrieve (q w : list nat) : nat :=
    match find (fun i => if list_eq_dec Nat.eq_dec (gram w i) q then true else false) (seq 0 (S (length w) - g)) with
    | Some i => nth (i + g) w failed
    | None => failed
    end.

  Definition recall (w : list nat) : nat := retrieve (skipn n w) (firstn n w).

  Definition is_recall (w : list nat) : Prop :=
    exists data q, In data (words (seq 0 n) n) /\ In q (words (seq 0 n) g) /\ w = data ++ q.

  (** No g-gram occurs at two places. *)
  Definition no_repeat (w : list nat) : Prop := forall i j, i < j -> j + g <= n -> gram w i <> gram w j.

  Lemma recall_answer : forall data q, length data = n -> recall (data ++ q) = retrieve q data.
  Proof.
    intros data q L. unfold recall.
    rewrite firstn_app, skipn_app, L, Nat.sub_diag, firstn_O, skipn_O, app_nil_r, firstn_all2, skipn_all2 by lia.
    reflexivity.
  Qed.

  Lemma retrieve_at : forall w i, length w = n -> no_repeat w -> i + g <= n -> retrieve (gram w i) w = nth (i + g) w failed.
  Proof.
    intros w i L Hn Hi. unfold retrieve.
    destruct (find _ _) as [j|] eqn:E.
    - apply find_some in E. destruct E as [Hj Hg]. apply in_seq in Hj.
      destruct (list_eq_dec Nat.eq_dec (gram w j) (gram w i)) as [e|]; [|discriminate].
      destruct (lt_eq_lt_dec i j) as [[H|<-]|H]; auto; exfalso.
      + apply (Hn i j); auto. lia.
      + apply (Hn j i); auto.
    - exfalso. pose proof (find_none _ _ E i) as F. cbv beta in F.
      destruct (list_eq_dec Nat.eq_dec (gram w i) (gram w i)); [|contradiction].
      discriminate F. apply in_seq. lia.
  Qed.

  Lemma retrieve_occurs : forall q w, length w = n -> retrieve q w <> failed ->
    exists j, j + g < n /\ gram w j = q /\ retrieve q w = nth (j + g) w failed.
  Proof.
    intros q w L H. unfold retrieve in *. destruct (find _ _) as [j|] eqn:E; [|contradiction].
    apply find_some in E. destruct E as [Hj Hg]. exists j.
    destruct (list_eq_dec Nat.eq_dec (gram w j) q); [|discriminate]. repeat split; auto.
    destruct (le_lt_dec n (j + g)); auto. exfalso. apply H. apply nth_overflow. lia.
  Qed.

  Lemma gram_eq : forall u v i j, gram u i = gram v j <-> forall r, r < g -> nth (i + r) u failed = nth (j + r) v failed.
  Proof.
    intros u v i j. unfold gram. rewrite map_ext_in_iff. split; intros H r Hr; apply H; [apply in_seq; lia|].
    apply in_seq in Hr. lia.
  Qed.

  (** If two sequences without repeated grams give one answer to every gram of the first, they are the same. *)
  Lemma answers_determine : forall u v, In u (words (seq 0 n) n) -> In v (words (seq 0 n) n) ->
    no_repeat u -> no_repeat v ->
    (forall i, i + g <= n -> retrieve (gram u i) u = retrieve (gram u i) v) -> u = v.
  Proof.
    intros u v Hu Hv Nu Nv Ha. apply in_words in Hu, Hv. destruct Hu as [Lu Ru], Hv as [Lv Rv].
    assert (Hlt : forall i, i < n -> nth i u failed <> failed).
    { intros i Hi. assert (In (nth i u failed) u) as Hin by (apply nth_In; lia). apply Ru, in_seq in Hin. lia. }
    assert (A0 := Ha 0 ltac:(lia)). rewrite retrieve_at in A0 by (auto; lia).
    destruct (retrieve_occurs (gram u 0) v Lv) as (j & Hj & Gj & _).
    { rewrite <- A0. apply Hlt. lia. }
    assert (Step : forall i, i + g <= n -> j + i + g <= n /\ gram u i = gram v (j + i)).
    { induction i as [|i IH]; intros Hi.
      - rewrite Nat.add_0_r. split; [lia|auto].
      - destruct IH as [Hji G]; [lia|]. assert (A := Ha i ltac:(lia)).
        rewrite retrieve_at in A by (auto; lia). rewrite G in A. rewrite retrieve_at in A by auto.
        assert (j + i + g < n).
        { destruct (le_lt_dec n (j + i + g)) as [o|]; auto. exfalso.
          rewrite (nth_overflow v) in A by lia. apply (Hlt (i + g)); auto. }
        split; [lia|]. apply gram_eq. intros r Hr. pose proof (proj1 (gram_eq u v i (j + i)) G) as P.
        destruct (Nat.eq_dec (S r) g) as [e|ne].
        + replace (S i + r) with (i + g) by lia. replace (j + S i + r) with (j + i + g) by lia. exact A.
        + replace (S i + r) with (i + S r) by lia. replace (j + S i + r) with (j + i + S r) by lia. apply P. lia. }
    destruct (Step (n - g) ltac:(lia)) as [Hz _]. assert (j = 0) by lia. subst j.
    destruct (list_eq_dec Nat.eq_dec u v) as [|Ne]; auto. exfalso.
    destruct (words_differ u v failed) as (k & Hk & D); [lia|auto|]. apply D.
    destruct (le_lt_dec (n - g) k) as [Hge|Hlt'].
    - destruct (Nat.eq_dec g 0) as [Z|NZ].
      + exfalso. (* g = 0: every gram is empty, so the data have at most one place. *)
        apply (Nu 0 1); [lia|lia|]. unfold gram. rewrite Z. reflexivity.
      + destruct (Step (n - g) ltac:(lia)) as [_ G]. rewrite Nat.add_0_l in G.
        pose proof (proj1 (gram_eq u v (n - g) (n - g)) G (k - (n - g)) ltac:(lia)) as P.
        replace (n - g + (k - (n - g))) with k in P by lia. exact P.
    - destruct (Nat.eq_dec g 0) as [Z|NZ].
      + exfalso. apply (Nu 0 1); [lia|lia|]. unfold gram. rewrite Z. reflexivity.
      + destruct (Step k ltac:(lia)) as [_ G]. rewrite Nat.add_0_l in G.
        pose proof (proj1 (gram_eq u v k k) G 0 ltac:(lia)) as P. rewrite !Nat.add_0_r in P. exact P.
  Qed.

  Lemma gram_in_words : forall u i, In u (words (seq 0 n) n) -> i + g <= n -> In (gram u i) (words (seq 0 n) g).
  Proof.
    intros u i Hu Hi. apply in_words in Hu. destruct Hu as [L R]. apply in_words. unfold gram. split.
    - rewrite map_length, seq_length. reflexivity.
    - intros x Hx. apply in_map_iff in Hx. destruct Hx as (r & <- & Hr). apply in_seq in Hr. apply R, nth_In. lia.
  Qed.

  Lemma recall_distinguishes : forall prefixes,
    (forall p, In p prefixes -> In p (words (seq 0 n) n) /\ no_repeat p) -> 1 <= g ->
    distinguished nat nat (fun w => is_recall w /\ n < length w) recall prefixes.
  Proof.
    intros prefixes Hp Hg u v Hu Hv Ne. destruct (Hp u Hu) as [Wu Nu], (Hp v Hv) as [Wv Nv].
    assert (Lu : length u = n) by (apply in_words in Wu; tauto). assert (Lv : length v = n) by (apply in_words in Wv; tauto).
    destruct (Exists_dec (fun i => retrieve (gram u i) u <> retrieve (gram u i) v) (seq 0 (n - g + 1))) as [E|E].
    { intros i. destruct (Nat.eq_dec (retrieve (gram u i) u) (retrieve (gram u i) v)); auto. }
    - apply Exists_exists in E. destruct E as (i & Hi & D). apply in_seq in Hi.
      assert (Hq : In (gram u i) (words (seq 0 n) g)) by (apply gram_in_words; auto; lia).
      assert (Lq : length (gram u i) = g) by (apply in_words in Hq; tauto).
      exists (gram u i). repeat split.
      + exists u, (gram u i). auto.
      + rewrite app_length. lia.
      + exists v, (gram u i). auto.
      + rewrite app_length. lia.
      + rewrite !recall_answer by auto. exact D.
    - exfalso. apply Ne. apply answers_determine; auto. intros i Hi.
      destruct (Nat.eq_dec (retrieve (gram u i) u) (retrieve (gram u i) v)) as [|D]; auto. exfalso.
      apply E, Exists_exists. exists i. split; [apply in_seq; lia|exact D].
  Qed.

  (** Every list of sequences without repeated grams is a lower bound. *)
  Theorem recall_states : forall (M : Recurrent nat) d answer k prefixes,
    1 <= g -> NoDup prefixes -> (forall p, In p prefixes -> In p (words (seq 0 n) n) /\ no_repeat p) ->
    answers_as nat nat M d answer -> is_right nat nat is_recall recall answer ->
    states_below nat M k prefixes -> length prefixes <= k.
  Proof.
    intros M d answer k prefixes Hg Hn Hp Ha Hr Hs.
    eapply states_needed with (K := n); eauto using Nat.eq_dec, recall_distinguishes.
    intros p Hin. destruct (Hp p Hin) as [W _]. apply in_words in W. tauto.
  Qed.

  (** Counting: the sequences with a gram at the places i < j are at most n^(n-g). *)
  Definition same_gram (c : nat * nat) (w : list nat) : bool :=
    if list_eq_dec Nat.eq_dec (gram w (fst c)) (gram w (snd c)) then true else false.

  Definition places : list (nat * nat) := flat_map (fun j => map (fun i => (i, j)) (seq 0 j)) (seq 0 (n - g + 1)).

  Lemma places_length : 2 * length places = (n - g + 1) * (n - g).
  Proof.
    assert (G : forall p, 2 * length (flat_map (fun j => map (fun i => (i, j)) (seq 0 j)) (seq 0 p)) = p * (p - 1)).
    { induction p as [|p IH]; auto. rewrite seq_S, flat_map_app, app_length. simpl flat_map.
      rewrite app_nil_r, map_length, seq_length. simpl Nat.add. nia. }
    unfold places. rewrite G. f_equal. lia.
  Qed.

  Definition cut (j : nat) (w : list nat) : list nat := firstn j w ++ skipn (j + g) w.

  Lemma cut_injective : forall i j u v, i < j -> j + g <= n -> length u = n -> length v = n ->
    same_gram (i, j) u = true -> same_gram (i, j) v = true -> cut j u = cut j v -> u = v.
  Proof.
    intros i j u v Hij Hj Lu Lv Su Sv E.
    unfold same_gram in Su, Sv. simpl in Su, Sv.
    destruct (list_eq_dec Nat.eq_dec (gram u i) (gram u j)) as [Gu|]; [|discriminate].
    destruct (list_eq_dec Nat.eq_dec (gram v i) (gram v j)) as [Gv|]; [|discriminate].
    unfold cut in E.
    assert (E1 : firstn j u = firstn j v /\ skipn (j + g) u = skipn (j + g) v).
    { assert (L : length (firstn j u) = length (firstn j v)) by (rewrite !firstn_length; lia).
      split.
      - apply (f_equal (firstn (length (firstn j u)))) in E.
        rewrite firstn_app, Nat.sub_diag, firstn_O, firstn_all, app_nil_r in E.
        rewrite L, firstn_app, Nat.sub_diag, firstn_O, firstn_all, app_nil_r in E. exact E.
      - apply (f_equal (skipn (length (firstn j u)))) in E. rewrite skipn_app, Nat.sub_diag, skipn_O, skipn_all in E.
        rewrite L, skipn_app, Nat.sub_diag, skipn_O, skipn_all in E. exact E. }
    destruct E1 as [E1 E2].
    assert (N1 : forall k, k < j -> nth k u failed = nth k v failed).
    { intros k Hk. rewrite <- (firstn_skipn j u), <- (firstn_skipn j v).
      rewrite !app_nth1 by (rewrite firstn_length; lia). rewrite E1. reflexivity. }
    assert (N2 : forall r, r < g -> nth (j + r) u failed = nth (j + r) v failed).
    { induction r as [r IH] using lt_wf_ind. intros Hr.
      rewrite <- (proj1 (gram_eq u u i j) Gu r Hr), <- (proj1 (gram_eq v v i j) Gv r Hr).
      destruct (le_lt_dec j (i + r)) as [H|H]; [|apply N1; exact H].
      replace (i + r) with (j + (i + r - j)) by lia. apply IH; lia. }
    destruct (list_eq_dec Nat.eq_dec u v) as [|Ne]; auto. exfalso.
    destruct (words_differ u v failed) as (k & Hk & D); [lia|auto|]. apply D.
    destruct (le_lt_dec j k) as [H|H]; [|apply N1; exact H].
    destruct (le_lt_dec (j + g) k) as [H'|H'].
    - rewrite <- (firstn_skipn (j + g) u), <- (firstn_skipn (j + g) v).
      rewrite !app_nth2 by (rewrite firstn_length; lia). rewrite !firstn_length, E2.
      replace (Nat.min (j + g) (length u)) with (Nat.min (j + g) (length v)) by lia. reflexivity.
    - replace k with (j + (k - j)) by lia. apply N2. lia.
  Qed.

  Lemma same_gram_few : forall i j, i < j -> j + g <= n ->
    length (filter (same_gram (i, j)) (words (seq 0 n) n)) <= n ^ (n - g).
  Proof.
    intros i j Hij Hj. set (F := filter (same_gram (i, j)) (words (seq 0 n) n)).
    assert (HF : forall w, In w F -> In w (words (seq 0 n) n) /\ same_gram (i, j) w = true) by (intros w Hw;
      apply filter_In; exact Hw).
    replace (n ^ (n - g)) with (length (words (seq 0 n) (n - g))) by (rewrite words_length, seq_length; reflexivity).
    rewrite <- (map_length (cut j) F). apply NoDup_incl_length.
    - assert (G : forall l, incl l F -> NoDup l -> NoDup (map (cut j) l)).
      { induction l as [|w l IH]; intros Hl Hn; simpl; constructor; inversion Hn; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (v & E & Hv).
          destruct (HF w) as [Ww Sw]; [apply Hl; left; reflexivity|].
          destruct (HF v) as [Wv Sv]; [apply Hl; right; exact Hv|].
          apply in_words in Ww, Wv. apply (cut_injective i j) in E; try tauto. subst. contradiction.
        - apply IH; auto. intros v Hv. apply Hl. right. exact Hv. }
      apply G; [intros w Hw; exact Hw|]. apply NoDup_filter, words_nodup, seq_NoDup.
    - intros c Hc. apply in_map_iff in Hc. destruct Hc as (w & <- & Hw). destruct (HF w Hw) as [Ww _].
      apply in_words in Ww. destruct Ww as [L R]. apply in_words. unfold cut. split.
      + rewrite app_length, firstn_length, skipn_length. lia.
      + intros x Hx. apply R. apply in_app_iff in Hx. destruct Hx as [Hx|Hx].
        * rewrite <- (firstn_skipn j w). apply in_app_iff. auto.
        * rewrite <- (firstn_skipn (j + g) w). apply in_app_iff. auto.
  Qed.

  Definition repeats (w : list nat) : bool := existsb (fun c => same_gram c w) places.

  Definition without_repeats : list (list nat) := filter (fun w => negb (repeats w)) (words (seq 0 n) n).

  Lemma filter_split_length : forall {A} (f : A -> bool) l,
    length (filter f l) + length (filter (fun x => negb (f x)) l) = length l.
  Proof. induction l as [|x l IH]; simpl; auto. destruct (f x); simpl; lia. Qed.

  Lemma repeats_few : length (filter repeats (words (seq 0 n) n)) <= length places * n ^ (n - g).
  Proof.
    unfold repeats.
    assert (Hp : forall c, In c places -> fst c < snd c /\ snd c + g <= n).
    { intros c Hc. unfold places in Hc. apply in_flat_map in Hc. destruct Hc as (j & Hj & Hi).
      apply in_map_iff in Hi. destruct Hi as (i & <- & Hi). apply in_seq in Hj, Hi. simpl. lia. }
    revert Hp. generalize places. induction l as [|[i j] l IH]; intros Hp.
    - simpl. assert (forall w : list (list nat), filter (fun _ => false) w = []) as -> by (induction w; auto). simpl. lia.
    - simpl. specialize (IH (fun c Hc => Hp c (or_intror Hc))).
      destruct (Hp (i, j) (or_introl eq_refl)) as [H1 H2]. simpl in H1, H2.
      pose proof (same_gram_few i j H1 H2) as F.
      assert (U : forall (a b : list nat -> bool) w,
        length (filter (fun x => orb (a x) (b x)) w) <= length (filter a w) + length (filter b w)).
      { induction w as [|x w IHw]; simpl; auto. destruct (a x), (b x); simpl; lia. }
      specialize (U (same_gram (i, j)) (fun w => existsb (fun c => same_gram c w) l) (words (seq 0 n) n)). lia.
  Qed.

  Lemma without_repeats_spec : forall w, In w without_repeats -> In w (words (seq 0 n) n) /\ no_repeat w.
  Proof.
    intros w Hw. apply filter_In in Hw. destruct Hw as [Hw Hr]. split; auto. intros i j Hij Hj E.
    apply Bool.negb_true_iff in Hr. unfold repeats in Hr.
    assert (existsb (fun c => same_gram c w) places = true).
    { apply existsb_exists. exists (i, j). split.
      - apply in_flat_map. exists j. split; [apply in_seq; lia|]. apply in_map_iff. exists i. split; auto. apply in_seq. lia.
      - unfold same_gram. simpl. destruct (list_eq_dec Nat.eq_dec (gram w i) (gram w j)); auto. }
    congruence.
  Qed.

  (** The bound for every c = g + 1: n^n - C(n-g+1, 2) n^(n-g) states. *)
  Theorem gram_state : forall (M : Recurrent nat) d answer k,
    1 <= g -> answers_as nat nat M d answer -> is_right nat nat is_recall recall answer ->
    states_below nat M k without_repeats -> n ^ n - (n - g + 1) * (n - g) / 2 * n ^ (n - g) <= k.
  Proof.
    intros M d answer k Hg Ha Hr Hs.
    assert (length without_repeats <= k).
    { eapply recall_states; eauto using without_repeats_spec. apply NoDup_filter, words_nodup, seq_NoDup. }
    pose proof (filter_split_length repeats (words (seq 0 n) n)) as S. fold without_repeats in S.
    rewrite words_length, seq_length in S. pose proof repeats_few.
    replace ((n - g + 1) * (n - g) / 2) with (length places); [lia|].
    apply Nat.div_unique_exact; [lia|]. symmetry. apply places_length.
  Qed.
End Recall.

(** Permutations of a list without repetitions, by the choice of the first element. *)
Fixpoint arrangements (k : nat) (l : list nat) : list (list nat) :=
  match k with
  | 0 => [[]]
  | S k => flat_map (fun x => map (cons x) (arrangements k (remove Nat.eq_dec x l))) l
  end.

Lemma arrangements_length : forall k l, NoDup l -> length l = k -> length (arrangements k l) = fact k.
Proof.
  induction k as [|k IH]; intros l Hn L; simpl; auto.
  rewrite (length_flat_map_same _ _ (fact k)); [rewrite L; simpl; lia|].
  intros x Hx. rewrite map_length. apply IH; [apply remove_nodup; exact Hn|]. pose proof (remove_length l x Hn Hx). lia.
Qed.

Lemma arrangements_spec : forall k l w, NoDup l -> In w (arrangements k l) -> length w = k /\ NoDup w /\ incl w l.
Proof.
  induction k as [|k IH]; intros l w Hn H; simpl in H.
  - destruct H as [<-|[]]. repeat split; [constructor|intros x []].
  - apply in_flat_map in H. destruct H as (x & Hx & H). apply in_map_iff in H. destruct H as (v & <- & Hv).
    apply IH in Hv; [|apply remove_nodup; exact Hn]. destruct Hv as (L & Nv & I). repeat split.
    + simpl. lia.
    + constructor; auto. intros Hin. apply I in Hin. apply in_remove in Hin. tauto.
    + intros y [<-|Hy]; auto. apply I in Hy. apply in_remove in Hy. tauto.
Qed.

Lemma arrangements_nodup : forall k l, NoDup l -> NoDup (arrangements k l).
Proof.
  induction k as [|k IH]; intros l Hn; simpl; [repeat constructor; intros []|].
  assert (G : forall m, NoDup m -> NoDup (flat_map (fun x => map (cons x) (arrangements k (remove Nat.eq_dec x l))) m)).
  { induction m as [|x m IHm]; intros Hm; simpl; [constructor|]. inversion Hm; subst. apply NoDup_app_disjoint; auto.
    - apply Injective_map_NoDup; [intros u v E; congruence|]. apply IH, remove_nodup, Hn.
    - intros w Hw Hw'. apply in_map_iff in Hw. destruct Hw as (u & <- & _). apply in_flat_map in Hw'.
      destruct Hw' as (y & Hy & E). apply in_map_iff in E. destruct E as (v & E & _). congruence. }
  apply G. exact Hn.
Qed.

(** Associative recall, c = 2: at least n! states. *)
Theorem recall_state : forall n (M : Recurrent nat) d answer k,
  1 < n -> answers_as nat nat M d answer -> is_right nat nat (is_recall n 1) (recall n 1) answer ->
  states_below nat M k (arrangements n (seq 0 n)) -> fact n <= k.
Proof.
  intros n M d answer k Hn Ha Hr Hs.
  rewrite <- (arrangements_length n (seq 0 n)) by (auto using seq_NoDup, seq_length).
  apply (recall_states n 1 Hn M d answer); auto.
  - apply arrangements_nodup, seq_NoDup.
  - intros p Hp. apply arrangements_spec in Hp; [|apply seq_NoDup]. destruct Hp as (L & Nd & I). split.
    + apply in_words. split; auto.
    + intros i j Hij Hj E. pose proof (proj1 (gram_eq n 1 Hn p p i j) E 0 ltac:(lia)) as P. rewrite !Nat.add_0_r in P.
      apply (proj1 (NoDup_nth p n) Nd) in P; lia.
Qed.

(** The lists of sequences are not empty: 24 sequences for n = 3 and c = 3, and 6 permutations. *)
Example without_repeats_of_three : length (without_repeats 3 2) = 24 /\ length (arrangements 3 (seq 0 3)) = 6.
Proof. split; vm_compute; reflexivity. Qed.

(** The model that keeps all tokens meets the hypotheses, for n = 3: 6 permutations, and 24 sequences for c = 3. *)
Example history_recalls : 3 ^ 3 - (3 - 2 + 1) * (3 - 2) / 2 * 3 ^ (3 - 2) <= 24 /\ fact 3 <= 6 /\
  length (without_repeats 3 2) <= 24.
Proof.
  split; [|split].
  - apply (gram_state 3 2 ltac:(lia) (history nat) 0 _ 24 ltac:(lia) (history_answers _ _ 0 (recall 3 2)));
      [apply history_right|apply (history_states _ Nat.eq_dec); vm_compute; lia].
  - apply (recall_state 3 (history nat) 0 _ 6 ltac:(lia) (history_answers _ _ 0 (recall 3 1)));
      [apply history_right|apply (history_states _ Nat.eq_dec); vm_compute; lia].
  - assert (S : forall w, In w (without_repeats 3 2) -> In w (words (seq 0 3) 3) /\ no_repeat 3 2 w)
      by (intros w Hw; apply without_repeats_spec; auto; lia).
    apply (recall_states 3 2 ltac:(lia) (history nat) 0 _ 24 (without_repeats 3 2) ltac:(lia)
      (NoDup_filter _ (words_nodup _ _ (seq_NoDup _ _))) S (history_answers _ _ 0 (recall 3 2)));
      [apply history_right|apply (history_states _ Nat.eq_dec); vm_compute; lia].
Qed.
