(** Associative recall of N pairs: a recurrent model needs max(N log2 S, (N - 1) log2 S + log2 N) bits of state.

    In words. A model reads N pairs of a key and a value, then one of the keys, and answers with the value of this key. The keys
    are 0 .. N - 1, each once, and the values are N .. N + S - 1.
    - With the keys in one fixed order, every recurrent model that is right has at least S^N states after all pairs.
    - With the keys in any order, it has at least N S^(N-1) states after the last key, before its value (S >= 2).
    The second statement is proved here for the orders that put one key last and leave the other keys in order.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Proposition 9 and appendix C.1. In Python: [associative-recall-state].

    The hypotheses, for a real model: see [OneWay]. A chain of thought is allowed. *)

From Coq Require Import List Arith Lia FinFun.
From Seqsep Require Import Words OneWay.
Import ListNotations.

(** The token after the first occurrence of [q]; [failed] if there is none. *)
Fixpoint recall (failed q : nat) (w : list nat) : nat :=
  match w with
  | x :: (y :: _) as rest => if x =? q then y else recall failed q rest
  | _ => failed
  end.

Definition recall_last (failed : nat) (w : list nat) : nat := recall failed (last w 0) (removelast w).

Lemma recall_last_snoc : forall failed w q, recall_last failed (w ++ [q]) = recall failed q w.
Proof. intros. unfold recall_last. rewrite last_last, removelast_last. reflexivity. Qed.

Fixpoint pairs (keys values : list nat) : list nat :=
  match keys, values with
  | k :: keys, v :: values => k :: v :: pairs keys values
  | _, _ => []
  end.

Lemma pairs_app : forall ks vs ks' vs', length ks = length vs -> pairs (ks ++ ks') (vs ++ vs') = pairs ks vs ++ pairs ks' vs'.
Proof.
  induction ks as [|k ks IH]; intros [|v vs] ks' vs' L; simpl in *; try discriminate; auto.
  rewrite IH by lia. reflexivity.
Qed.

Lemma pairs_length : forall ks vs, length ks = length vs -> length (pairs ks vs) = 2 * length ks.
Proof.
  induction ks as [|k ks IH]; intros [|v vs] L; simpl in *; try discriminate; auto.
  rewrite IH by lia. lia.
Qed.

(** Recall in a list of pairs: keys and values are different tokens, so the first occurrence is the key. *)
Lemma recall_pairs : forall failed ks vs i rest, length ks = length vs -> NoDup ks ->
  (forall k v, In k ks -> In v vs -> k <> v) -> i < length ks ->
  recall failed (nth i ks 0) (pairs ks vs ++ rest) = nth i vs 0.
Proof.
  induction ks as [|k ks IH]; intros [|v vs] i rest L Hn Hkv Hi; simpl in L; try discriminate; [simpl in Hi; lia|].
  inversion Hn as [|? ? Hk Hn']; subst.
  destruct i as [|i].
  - simpl. rewrite Nat.eqb_refl. reflexivity.
  - cbn [nth pairs app]. simpl in Hi.
    assert (Hin : In (nth i ks 0) ks) by (apply nth_In; lia).
    cbn [recall]. destruct (Nat.eqb_spec k (nth i ks 0)) as [e|_]; [rewrite <- e in Hin; contradiction|].
    specialize (IH vs i rest).
    destruct (pairs ks vs ++ rest) as [|y l] eqn:E.
    { destruct ks; simpl in Hi; [lia|]. destruct vs; simpl in L; discriminate. }
    destruct (Nat.eqb_spec v (nth i ks 0)) as [e|_].
    { exfalso. apply (Hkv (nth i ks 0) v); [right; exact Hin|left; reflexivity|congruence]. }
    apply IH; auto; [|lia]. intros a b Ha Hb. apply Hkv; right; auto.
Qed.

Section FixedOrder.
  Variables (N S : nat).

  Definition in_order (values : list nat) : list nat := pairs (seq 0 N) values.

  Definition value_lists : list (list nat) := words (seq N S) N.

  Definition is_recall_in_order (w : list nat) : Prop :=
    exists vs i, In vs value_lists /\ i < N /\ w = in_order vs ++ [i].

  Lemma in_order_answer : forall failed vs i, In vs value_lists -> i < N ->
    recall_last failed (in_order vs ++ [i]) = nth i vs 0.
  Proof.
    intros failed vs i Hvs Hi. apply in_words in Hvs. destruct Hvs as [L Hv].
    rewrite recall_last_snoc.
    replace i with (nth i (seq 0 N) 0) at 1 by (rewrite seq_nth; lia).
    rewrite <- (app_nil_r (in_order vs)). apply recall_pairs.
    - rewrite seq_length. auto.
    - apply seq_NoDup.
    - intros k v Hk Hin. apply in_seq in Hk. apply Hv, in_seq in Hin. lia.
    - rewrite seq_length. exact Hi.
  Qed.

  Lemma in_order_injective : forall u v, length u = N -> length v = N -> in_order u = in_order v -> u = v.
  Proof.
    unfold in_order. intros u v Lu Lv.
    assert (G : forall ks u v, length ks = length u -> length ks = length v -> pairs ks u = pairs ks v -> u = v).
    { induction ks as [|k ks IH]; intros [|a u'] [|b v'] H H' E; simpl in *; try discriminate; auto.
      injection E as -> E. f_equal. apply IH; auto. }
    apply G; rewrite seq_length; auto.
  Qed.

  Theorem associative_recall_state_fixed_order : forall failed (M : Recurrent nat) d answer n,
    answers_as nat nat M d answer -> is_right nat nat is_recall_in_order (recall_last failed) answer ->
    states_below nat M n (map in_order value_lists) -> S ^ N <= n.
  Proof.
    intros failed M d answer n Ha Hr Hs.
    replace (S ^ N) with (length (map in_order value_lists))
      by (unfold value_lists; rewrite map_length, words_length, seq_length; reflexivity).
    eapply states_needed with (K := 2 * N); eauto using Nat.eq_dec.
    - assert (G : forall l, NoDup l -> (forall v, In v l -> length v = N) -> NoDup (map in_order l)).
      { induction l as [|v l IH]; intros Hn Hl; simpl; constructor; inversion Hn; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (u & E & Hu).
          apply in_order_injective in E; [subst; contradiction|apply Hl; right; auto|apply Hl; left; auto].
        - apply IH; auto. intros u Hu. apply Hl. right. exact Hu. }
      apply G; [apply words_nodup, seq_NoDup|]. intros v Hv. apply in_words in Hv. tauto.
    - intros p Hp. apply in_map_iff in Hp. destruct Hp as (v & <- & Hv). apply in_words in Hv. destruct Hv as [L _].
      unfold in_order. rewrite pairs_length; rewrite seq_length; auto.
    - intros p p' Hp Hp' Hne.
      apply in_map_iff in Hp, Hp'. destruct Hp as (u & <- & Hu), Hp' as (v & <- & Hv).
      pose proof (proj1 (proj1 (in_words _ _ _) Hu)) as Lu. pose proof (proj1 (proj1 (in_words _ _ _) Hv)) as Lv.
      destruct (words_differ u v 0) as (i & Hi & Hd); [lia|congruence|].
      rewrite Lu in Hi.
      assert (Ln : forall v, length v = N -> 2 * N < length (in_order v ++ [i])).
      { intros z Hz. rewrite app_length. unfold in_order. rewrite pairs_length; rewrite seq_length; simpl; lia. }
      exists [i]. repeat split; auto.
      + exists u, i. auto.
      + exists v, i. auto.
      + rewrite !in_order_answer by auto. exact Hd.
  Qed.
End FixedOrder.

Section InsideLastPair.
  Variables (N S : nat).

  (** The keys without [k], in order. *)
  Definition others (k : nat) : list nat := filter (fun j => negb (j =? k)) (seq 0 N).

  Definition inside (c : nat * list nat) : list nat := pairs (others (fst c)) (snd c) ++ [fst c].

  (** The key that comes last, and the values of the others. *)
  Definition cases : list (nat * list nat) := list_prod (seq 0 N) (words (seq N S) (N - 1)).

  Definition is_recall (w : list nat) : Prop :=
    exists ks vs q, NoDup ks /\ length ks = N /\ (forall k, In k ks -> k < N) /\ In vs (words (seq N S) N) /\ q < N /\
                    w = pairs ks vs ++ [q].

  Lemma filter_out_length : forall l k, NoDup l ->
    length (filter (fun j => negb (j =? k)) l) + (if in_dec Nat.eq_dec k l then 1 else 0) = length l.
  Proof.
    induction l as [|x l IH]; intros k Hn; inversion Hn; subst; cbn [filter]; auto.
    specialize (IH k H2). destruct (Nat.eqb_spec x k) as [->|Ne]; cbn [negb].
    - destruct (in_dec Nat.eq_dec k l) as [o|o]; [contradiction|].
      destruct (in_dec Nat.eq_dec k (k :: l)) as [_|e]; [|exfalso; apply e; left; auto]. simpl. lia.
    - destruct (in_dec Nat.eq_dec k l) as [i|o]; destruct (in_dec Nat.eq_dec k (x :: l)) as [i'|o']; cbn [length]; try lia.
      + exfalso. apply o'. right. exact i.
      + destruct i'; [congruence|contradiction].
  Qed.

  Lemma others_length : forall k, k < N -> length (others k) = N - 1.
  Proof.
    intros k H. pose proof (filter_out_length (seq 0 N) k (seq_NoDup _ _)) as E.
    rewrite seq_length in E. unfold others.
    destruct (in_dec Nat.eq_dec k (seq 0 N)) as [_|n]; [lia|]. exfalso. apply n, in_seq. lia.
  Qed.

  Lemma in_others : forall j k, In j (others k) <-> j < N /\ j <> k.
  Proof.
    intros. unfold others. rewrite filter_In, in_seq. destruct (Nat.eqb_spec j k); simpl; intuition (try discriminate); lia.
  Qed.

  Lemma others_nodup : forall k, NoDup (others k).
  Proof. intros. apply NoDup_filter, seq_NoDup. Qed.

  Lemma inside_domain : forall k vs v q, k < N -> In vs (words (seq N S) (N - 1)) -> In v (seq N S) -> q < N ->
    is_recall (inside (k, vs) ++ [v; q]).
  Proof.
    intros k vs v q Hk Hvs Hv Hq. pose proof (others_length k Hk) as Lo.
    apply in_words in Hvs. destruct Hvs as [L H].
    exists (others k ++ [k]), (vs ++ [v]), q. repeat split; auto.
    - apply NoDup_app_disjoint; [apply others_nodup|repeat constructor; intros []|].
      intros x Hx [->|[]]. apply in_others in Hx. lia.
    - rewrite app_length. simpl. lia.
    - intros j Hj. apply in_app_iff in Hj. destruct Hj as [Hj|[<-|[]]]; auto. apply in_others in Hj. lia.
    - apply in_words. split; [rewrite app_length; simpl; lia|].
      intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx|[<-|[]]]; auto.
    - rewrite pairs_app by lia. unfold inside. simpl. rewrite <- !app_assoc. reflexivity.
  Qed.

  Lemma inside_is_pairs : forall k vs v q, k < N -> In vs (words (seq N S) (N - 1)) ->
    inside (k, vs) ++ [v; q] = pairs (others k ++ [k]) (vs ++ [v]) ++ [q].
  Proof.
    intros k vs v q Hk Hvs. pose proof (others_length k Hk) as Lo. apply in_words in Hvs. destruct Hvs as [L _].
    rewrite pairs_app by lia. unfold inside. simpl. rewrite <- !app_assoc. reflexivity.
  Qed.

  Lemma inside_answer : forall failed k vs v i, k < N -> In vs (words (seq N S) (N - 1)) -> In v (seq N S) -> i < N ->
    recall_last failed (inside (k, vs) ++ [v; nth i (others k ++ [k]) 0]) = nth i (vs ++ [v]) 0.
  Proof.
    intros failed k vs v i Hk Hvs Hv Hi. rewrite inside_is_pairs by auto. rewrite recall_last_snoc.
    pose proof (others_length k Hk) as Lo. apply in_words in Hvs. destruct Hvs as [L H].
    rewrite <- (app_nil_r (pairs _ _)). apply recall_pairs.
    - rewrite !app_length. simpl. lia.
    - apply NoDup_app_disjoint; [apply others_nodup|repeat constructor; intros []|].
      intros x Hx [->|[]]. apply in_others in Hx. lia.
    - intros a b Ha Hb. assert (a < N).
      { apply in_app_iff in Ha. destruct Ha as [Ha|[<-|[]]]; auto. apply in_others in Ha. lia. }
      assert (N <= b).
      { apply in_app_iff in Hb. destruct Hb as [Hb|[<-|[]]].
        - apply H, in_seq in Hb. lia.
        - apply in_seq in Hv. lia. }
      lia.
    - rewrite app_length. simpl. lia.
  Qed.

  Theorem associative_recall_state_any_order : forall failed (M : Recurrent nat) d answer n,
    1 <= N -> 2 <= S -> answers_as nat nat M d answer -> is_right nat nat is_recall (recall_last failed) answer ->
    states_below nat M n (map inside cases) -> N * S ^ (N - 1) <= n.
  Proof.
    intros failed M d answer n HN HS Ha Hr Hs.
    assert (Hc : forall c, In c cases -> fst c < N /\ In (snd c) (words (seq N S) (N - 1))).
    { intros [k vs] Hin. apply in_prod_iff in Hin. destruct Hin as [Hk Hv]. apply in_seq in Hk. simpl. split; [lia|auto]. }
    assert (Hlen : forall c, In c cases -> length (inside c) = 2 * N - 1).
    { intros [k vs] Hin. destruct (Hc _ Hin) as [Hk Hv]. simpl in *. pose proof (others_length k Hk).
      apply in_words in Hv. unfold inside. simpl. rewrite app_length, pairs_length by lia. simpl. lia. }
    assert (Hinj : forall c c', In c cases -> In c' cases -> inside c = inside c' -> c = c').
    { intros [k u] [k' v] Hin Hin' E. destruct (Hc _ Hin) as [Hk Hu], (Hc _ Hin') as [Hk' Hv]. simpl in *.
      apply in_words in Hu, Hv.
      unfold inside in E. simpl in E. apply app_inj_tail in E. destruct E as [E <-]. f_equal.
      assert (G : forall ks u v, length ks = length u -> length ks = length v -> pairs ks u = pairs ks v -> u = v).
      { induction ks as [|a ks IH]; intros [|x u'] [|y v'] L L' E'; simpl in *; try discriminate; auto.
        injection E' as -> E'. f_equal. apply IH; auto. }
      apply (G (others k)); auto; rewrite others_length; tauto || lia. }
    replace (N * S ^ (N - 1)) with (length (map inside cases))
      by (unfold cases; rewrite map_length, prod_length, words_length, !seq_length; reflexivity).
    eapply states_needed with (K := 2 * N - 1); eauto using Nat.eq_dec.
    - assert (G : forall l, NoDup l -> (forall c, In c l -> In c cases) -> NoDup (map inside l)).
      { induction l as [|c l IH]; intros Hn Hl; simpl; constructor; inversion Hn; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (c' & E & Hin).
          apply Hinj in E; [subst; contradiction| |]; apply Hl; simpl; auto.
        - apply IH; auto. intros c' Hin. apply Hl. right. exact Hin. }
      apply G; auto. clear. unfold cases.
      assert (Hw : NoDup (words (seq N S) (N - 1))) by (apply words_nodup, seq_NoDup).
      assert (G : forall l : list nat, NoDup l -> NoDup (list_prod l (words (seq N S) (N - 1)))).
      { induction l as [|x l IH]; intros Hl; simpl; [constructor|]. inversion Hl; subst.
        apply NoDup_app_disjoint; auto.
        - apply Injective_map_NoDup; auto. intros a b E. congruence.
        - intros [a b] Hab Hab'. apply in_map_iff in Hab. destruct Hab as (? & E & _). injection E as <- _.
          apply in_prod_iff in Hab'. tauto. }
      apply G, seq_NoDup.
    - intros p Hp. apply in_map_iff in Hp. destruct Hp as (c & <- & Hin). auto.
    - intros p p' Hp Hp' Hne. apply in_map_iff in Hp, Hp'.
      destruct Hp as ([k u] & <- & Hin), Hp' as ([k' u'] & <- & Hin').
      destruct (Hc _ Hin) as [Hk Hu], (Hc _ Hin') as [Hk' Hu']. simpl in *.
      pose proof (others_length k Hk) as Lo. pose proof (others_length k' Hk') as Lo'.
      pose proof (proj1 (proj1 (in_words _ _ _) Hu)) as Lu. pose proof (proj1 (proj1 (in_words _ _ _) Hu')) as Lu'.
      assert (Hl : forall c v q, In c cases -> 2 * N - 1 < length (inside c ++ [v; q])).
      { intros c v q Hcc. rewrite app_length, (Hlen c Hcc). simpl. lia. }
      destruct (Nat.eq_dec k k') as [->|Nk].
      + assert (u <> u') as Du by (intros ->; apply Hne; reflexivity).
        destruct (words_differ u u' 0) as (i & Hi & Hd); [lia|auto|].
        assert (HNv : In N (seq N S)) by (apply in_seq; lia).
        exists [N; nth i (others k' ++ [k']) 0].
        assert (nth i (others k' ++ [k']) 0 < N).
        { rewrite app_nth1 by lia. assert (In (nth i (others k') 0) (others k')) as Hq by (apply nth_In; lia).
          apply in_others in Hq. lia. }
        repeat split; auto using inside_domain.
        rewrite !inside_answer by (auto; lia). rewrite !app_nth1 by lia. exact Hd.
      + (* The last keys differ: the question is k, and v differs from the value that k has in the second case. *)
        assert (Hkin : In k (others k')) by (apply in_others; auto).
        destruct (In_nth _ _ 0 Hkin) as (i & Hi & Ei).
        set (y := nth i u' 0).
        assert (exists v, In v (seq N S) /\ v <> y) as (v & Hv & Dv).
        { destruct (Nat.eq_dec y N) as [e|e].
          - exists (N + 1). split; [apply in_seq; lia|lia].
          - exists N. split; [apply in_seq; lia|auto]. }
        exists [v; k]. repeat split; auto using inside_domain.
        replace (inside (k, u) ++ [v; k]) with (inside (k, u) ++ [v; nth (N - 1) (others k ++ [k]) 0])
          by (rewrite app_nth2, Lo, Nat.sub_diag by lia; reflexivity).
        replace (inside (k', u') ++ [v; k]) with (inside (k', u') ++ [v; nth i (others k' ++ [k']) 0])
          by (rewrite app_nth1, Ei by lia; reflexivity).
        rewrite !inside_answer by (auto; lia).
        rewrite app_nth2, Lu, Nat.sub_diag by lia. rewrite app_nth1 by lia. exact Dv.
  Qed.
End InsideLastPair.

(** The model that keeps all tokens meets the hypotheses: two pairs, and values from an alphabet of two. *)
Example two_pairs : 2 ^ 2 <= 4 /\ 2 * 2 ^ (2 - 1) <= 4.
Proof.
  split.
  - apply (associative_recall_state_fixed_order 2 2 9 (history nat) 0 _ _ (history_answers _ _ 0 (recall_last 9)));
      [apply history_right|apply (history_states _ Nat.eq_dec); vm_compute; lia].
  - apply (associative_recall_state_any_order 2 2 9 (history nat) 0 _ _ ltac:(lia) ltac:(lia)
      (history_answers _ _ 0 (recall_last 9))); [apply history_right|apply (history_states _ Nat.eq_dec); vm_compute; lia].
Qed.
