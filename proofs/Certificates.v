(** The rules of a second checker of certificates, and the proofs that they are sound.

    In words. A certificate lists words, rows or columns of a function of words. A rule is a function that returns true or
    false. If it returns true, then the claim of the certificate holds:
    - [fooling_rule], [complete_rule]: every deterministic protocol between the two parties costs at least ceil(log2 k) bits for
      k listed words. One of the two parties gives the answer. With [complete_rule] the words are moreover all inputs that have
      the value.
    - [distinguishing_rule]: a message from which the second party can answer has at least as many values as there are rows. If
      the first party has a prefix, every recurrent model has at least as many states ([least_state_sound]).
    - [rank_rule]: if both parties know the answer at the end, there are at least as many transcripts as rows of the minor.
    - [one_layer_rule]: no layer of attention with these sizes decides equality of two halves of h symbols.

    Source: the types fooling-set and distinguishing-table of docs/reference/certificates.md; Bhattamishra et al. 2024
    (arXiv:2406.09347), Theorems 2 and 4, Facts 2 and 4. In Python: seqsep_check.py; Rank in maths.communication.witnesses;
    one_layer_message in maths.communication.

    The hypotheses, for a real model. [f] is the function of the task, [outside] its value on words that are not inputs. A model
    must be right on all inputs and on no others ([in_domain]). The proofs hold for every f, so a program that uses the rules
    must compute the right f. [complete_rule] trusts that the given number is that of all inputs with the value ([counted]). *)

From Coq Require Import List Arith Lia ZArith NArith FinFun Bool Sorting.Mergesort Sorting.Sorted Sorting.Permutation Orders.
From Seqsep Require Import Words OneWay Protocols Rank OneLayer OneLayerBounds Constants.
Import ListNotations.
Open Scope Z_scope.

Definition word := list Z.
Definition outside : Z := -1.

(** ** Sorting: all words of a list differ if the sorted list increases. *)

Fixpoint lexicographic (u v : word) : comparison :=
  match u, v with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | a :: u, b :: v => match Z.compare a b with Eq => lexicographic u v | order => order end
  end.

Definition before (u v : word) : Prop := lexicographic u v = Lt.

Lemma lexicographic_refl : forall u, lexicographic u u = Eq.
Proof. induction u as [|a u IH]; simpl; auto. rewrite Z.compare_refl. exact IH. Qed.

Lemma lexicographic_opp : forall u v, lexicographic v u = CompOpp (lexicographic u v).
Proof.
  induction u as [|a u IH]; intros [|b v]; simpl; auto.
  rewrite (Z.compare_antisym a b). destruct (a ?= b); simpl; auto.
Qed.

Lemma before_trans : forall u v w, before u v -> before v w -> before u w.
Proof.
  unfold before. induction u as [|a u IH]; intros [|b v] [|c w] H G; simpl in *; try discriminate; auto.
  destruct (Z.compare_spec a b) as [E|E|E], (Z.compare_spec b c) as [D|D|D]; try discriminate; subst.
  - rewrite Z.compare_refl. eauto.
  - rewrite (proj2 (Z.compare_lt_iff _ _)); auto.
  - rewrite (proj2 (Z.compare_lt_iff _ _)); auto.
  - rewrite (proj2 (Z.compare_lt_iff _ _)); auto; lia.
Qed.

Module WordOrder <: TotalLeBool.
  Definition t := word.
  Definition leb (u v : word) : bool := match lexicographic u v with Gt => false | _ => true end.
  Lemma leb_total : forall u v, leb u v = true \/ leb v u = true.
  Proof. intros u v. unfold leb. rewrite (lexicographic_opp u v). destruct (lexicographic u v); simpl; auto. Qed.
End WordOrder.
Module WordSort := Sort WordOrder.

Fixpoint increasing (l : list word) : bool :=
  match l with
  | u :: (v :: _) as rest => match lexicographic u v with Lt => increasing rest | _ => false end
  | _ => true
  end.

Definition all_different (l : list word) : bool := increasing (WordSort.sort l).

Lemma increasing_sorted : forall l, increasing l = true -> Sorted before l.
Proof.
  induction l as [|u [|v l] IH]; intros H; [constructor|repeat constructor|].
  simpl in H. destruct (lexicographic u v) eqn:E; try discriminate.
  constructor; [apply IH; exact H|constructor; exact E].
Qed.

Lemma all_different_nodup : forall l, all_different l = true -> NoDup l.
Proof.
  intros l H. apply (Permutation_NoDup (Permutation_sym (WordSort.Permuted_sort l))).
  apply increasing_sorted in H. apply Sorted_StronglySorted in H; [|exact before_trans].
  induction H as [|u rest Hl IH Hu]; constructor; auto.
  intros Hin. rewrite Forall_forall in Hu. specialize (Hu u Hin). unfold before in Hu.
  rewrite lexicographic_refl in Hu. discriminate.
Qed.

Fixpoint all_pairs {A} (related : A -> A -> bool) (l : list A) : bool :=
  match l with [] => true | a :: l => forallb (related a) l && all_pairs related l end.

Lemma all_pairs_spec : forall {A} (related : A -> A -> bool) l,
  (forall a b, related a b = related b a) -> (forall a, In a l -> related a a = false) -> all_pairs related l = true ->
  NoDup l /\ forall a b, In a l -> In b l -> a <> b -> related a b = true.
Proof.
  induction l as [|a l IH]; intros Sym Irr H; simpl in H.
  { split; [constructor|intros ? ? []]. }
  apply andb_prop in H. destruct H as [Ha Hl]. rewrite forallb_forall in Ha.
  destruct (IH Sym (fun b Hb => Irr b (or_intror Hb)) Hl) as [N P]. split.
  - constructor; auto. intros Hin. specialize (Ha a Hin). rewrite (Irr a (or_introl eq_refl)) in Ha. discriminate.
  - intros b c [<-|Hb] [<-|Hc] Ne; try contradiction; auto. rewrite Sym. auto.
Qed.

Lemma NoDup_map_inv_eq : forall {A B} (g : A -> B) l a b,
  NoDup (map g l) -> In a l -> In b l -> g a = g b -> a = b.
Proof.
  induction l as [|c l IH]; intros a b N Ha Hb E; [destruct Ha|].
  simpl in N. inversion N as [|? ? Nc Nl]; subst.
  destruct Ha as [<-|Ha], Hb as [<-|Hb]; auto.
  - exfalso. apply Nc. rewrite E. apply in_map. exact Hb.
  - exfalso. apply Nc. rewrite <- E. apply in_map. exact Ha.
Qed.

(** ** Two parties share the positions: a mask is true at the positions of the first. *)

Fixpoint assemble (mask : list bool) (x y : word) : word :=
  match mask with
  | [] => []
  | true :: mask => match x with a :: x => a :: assemble mask x y | [] => [] end
  | false :: mask => match y with b :: y => b :: assemble mask x y | [] => [] end
  end.

Fixpoint part (side : bool) (mask : list bool) (w : word) : word :=
  match mask, w with
  | owner :: mask, a :: w => if Bool.eqb owner side then a :: part side mask w else part side mask w
  | _, _ => []
  end.

(** The word with the letters of [w] at the positions of the first party, and those of [w'] at the others. *)
Definition mixed (mask : list bool) (w w' : word) : word := assemble mask (part true mask w) (part false mask w').

Lemma mixed_same : forall mask w, length w = length mask -> mixed mask w w = w.
Proof.
  unfold mixed. induction mask as [|[|] mask IH]; intros [|a w] H; simpl in *; try discriminate; auto;
    f_equal; apply IH; lia.
Qed.

Lemma part_mixed : forall mask w w', length w = length mask -> length w' = length mask ->
  part true mask (mixed mask w w') = part true mask w /\ part false mask (mixed mask w w') = part false mask w'.
Proof.
  unfold mixed. induction mask as [|[|] mask IH]; intros [|a w] [|a' w'] H H'; simpl in *; try discriminate; auto;
    destruct (IH w w') as [E F]; try lia; rewrite E, F; auto.
Qed.

Lemma assemble_prefix : forall k l x y, length x = k -> length y = l ->
  assemble (repeat true k ++ repeat false l) x y = x ++ y.
Proof.
  induction k as [|k IH]; intros l [|a x] y Hx Hy; simpl in *; try discriminate.
  - revert y Hy. induction l as [|l IHl]; intros [|b y] Hy; simpl in *; try discriminate; auto.
    f_equal. apply IHl. lia.
  - f_equal. apply IH; lia.
Qed.

(** A word over the alphabets: a letter at each position, from the first number of its pair to below the second. *)
Fixpoint fits_alphabets (alphabets : list (Z * Z)) (w : word) : bool :=
  match alphabets, w with
  | [], [] => true
  | (low, high) :: alphabets, a :: w => (low <=? a) && (a <? high) && fits_alphabets alphabets w
  | _, _ => false
  end.

Lemma fits_length : forall alphabets w, fits_alphabets alphabets w = true -> length w = length alphabets.
Proof.
  induction alphabets as [|[low high] alphabets IH]; intros [|a w] H; simpl in *; try discriminate; auto.
  apply andb_prop in H. f_equal. apply IH. tauto.
Qed.

Lemma mixed_fits : forall alphabets mask w w', length mask = length alphabets ->
  fits_alphabets alphabets w = true -> fits_alphabets alphabets w' = true -> fits_alphabets alphabets (mixed mask w w') = true.
Proof.
  unfold mixed. induction alphabets as [|[low high] alphabets IH]; intros [|[|] mask] [|a w] [|a' w'] L H H';
    simpl in *; try discriminate; auto;
    apply andb_prop in H, H'; destruct H as [H1 H2], H' as [H1' H2']; apply andb_true_intro; split; auto.
Qed.

Section Rules.
  Variable alphabets : list (Z * Z).
  Variable f : word -> Z.
  Variable mask : list bool.

  Definition in_domain (w : word) : bool := fits_alphabets alphabets w && negb (f w =? outside).
  Definition has_value (v : Z) (w : word) : bool := in_domain w && (f w =? v).
  Definition has_another (v : Z) (w : word) : bool := in_domain w && negb (f w =? v).

  Lemma has_value_spec : forall v w, has_value v w = true -> in_domain w = true /\ f w = v.
  Proof. intros v w H. apply andb_prop in H. destruct H as [D V]. split; auto. apply Z.eqb_eq. exact V. Qed.

  Lemma has_another_spec : forall v w, has_another v w = true -> in_domain w = true /\ f w <> v.
  Proof.
    intros v w H. apply andb_prop in H. destruct H as [D V]. split; auto. intros E. subst.
    rewrite Z.eqb_refl in V. discriminate.
  Qed.

  Lemma in_domain_length : forall w, in_domain w = true -> length w = length alphabets.
  Proof. intros w H. apply andb_prop in H. apply fits_length. tauto. Qed.

  (** ** fooling-set *)

  Definition fools (v : Z) (w w' : word) : bool := has_another v (mixed mask w w') || has_another v (mixed mask w' w).

  Definition fooling_rule (v : Z) (words : list word) : bool :=
    (length mask =? length alphabets)%nat && forallb (has_value v) words && all_pairs (fools v) words.

  (** Complete: all words with the value are listed, by their number, and any two differ in both parts. *)
  Definition complete_rule (v : Z) (count : nat) (words : list word) : bool :=
    (length mask =? length alphabets)%nat && forallb (has_value v) words && all_different (map (part true mask) words)
    && all_different (map (part false mask) words) && (length words =? count)%nat.

  (** The second party is right on every input; the first party is. *)
  Definition second_is_right (p : protocol word word) (out : word -> list nat -> Z) : Prop :=
    forall x y, in_domain (assemble mask x y) = true -> out y (transcript _ _ p x y) = f (assemble mask x y).
  Definition first_is_right (p : protocol word word) (out : word -> list nat -> Z) : Prop :=
    forall x y, in_domain (assemble mask x y) = true -> out x (transcript _ _ p x y) = f (assemble mask x y).

  Definition is_fooling_list (v : Z) (words : list word) : Prop :=
    NoDup words /\ (forall w, In w words -> has_value v w = true /\ mixed mask w w = w) /\
    forall w w', In w words -> In w' words -> w <> w' -> fools v w w' = true.

  Lemma fooling_list_costs : forall v words p out,
    is_fooling_list v words -> keeps_to_range _ _ p -> second_is_right p out \/ first_is_right p out ->
    (length words <= 2 ^ cost _ _ p)%nat.
  Proof.
    intros v words p out (N & V & F) K R. rewrite <- (transcripts_at_most word word p).
    set (t := fun w => transcript _ _ p (part true mask w) (part false mask w)).
    assert (T : forall w w', In w words -> In w' words -> t w = t w' -> w = w').
    { intros w w' Hw Hw' E. destruct (list_eq_dec Z.eq_dec w w') as [|Ne]; auto. exfalso.
      destruct (V w Hw) as [Vw Sw], (V w' Hw') as [Vw' Sw'].
      apply has_value_spec in Vw, Vw'. destruct Vw as [Dw Vw], Vw' as [Dw' Vw'].
      destruct (rectangle _ _ p _ _ _ _ E) as [A B]. unfold t in E.
      pose proof (F w w' Hw Hw' Ne) as Fw. apply orb_prop in Fw.
      unfold mixed in Sw, Sw'.
      destruct Fw as [Fw|Fw]; apply has_another_spec in Fw; destruct Fw as [D W]; apply W; unfold mixed in *;
        destruct R as [R|R]; rewrite <- R by exact D; rewrite ?A, ?B.
      - rewrite E, R; rewrite Sw'; auto.
      - rewrite R; rewrite Sw; auto.
      - rewrite R; rewrite Sw; auto.
      - rewrite E, R; rewrite Sw'; auto. }
    rewrite <- (map_length t). apply NoDup_incl_length.
    - clear F V. revert T. induction N as [|w l Nw Nl IH]; intros T; simpl; constructor.
      + intros Hin. apply in_map_iff in Hin. destruct Hin as (w' & E & Hw').
        apply Nw. rewrite (T w w'); auto using in_eq, in_cons.
      + apply IH. intros u u' Hu Hu'. apply T; right; auto.
    - intros u Hu. apply in_map_iff in Hu. destruct Hu as (w & <- & _). apply in_transcripts. exact K.
  Qed.

  Lemma fooling_rule_list : forall v words, fooling_rule v words = true -> is_fooling_list v words.
  Proof.
    intros v words H. apply andb_prop in H. destruct H as [H P]. apply andb_prop in H. destruct H as [L V].
    apply Nat.eqb_eq in L. rewrite forallb_forall in V.
    assert (S : forall w, In w words -> mixed mask w w = w).
    { intros w Hw. apply mixed_same. rewrite L. apply in_domain_length, (has_value_spec v), V, Hw. }
    destruct (all_pairs_spec (fools v) words) as [N Q]; auto.
    - intros a b. apply orb_comm.
    - intros w Hw. unfold fools. rewrite (S w Hw). specialize (V w Hw). apply has_value_spec in V. destruct V as [D E].
      unfold has_another. rewrite D, E, Z.eqb_refl. reflexivity.
    - split; [exact N|split; auto].
  Qed.

  Theorem fooling_rule_sound : forall v words p out,
    fooling_rule v words = true -> keeps_to_range _ _ p -> second_is_right p out \/ first_is_right p out ->
    (bits (length words) <= cost _ _ p)%nat.
  Proof.
    intros v words p out H K R. pose proof (fooling_list_costs v words p out (fooling_rule_list v words H) K R) as C.
    destruct words as [|w words]; [apply Nat.le_0_l|]. apply fits_in_bits; [simpl; lia|exact C].
  Qed.

  (** There are no more than [count] inputs with the value, and every word over the alphabets is an input. *)
  Definition counted (v : Z) (count : nat) : Prop :=
    (forall w, fits_alphabets alphabets w = true -> f w <> outside) /\
    forall l, NoDup l -> (forall w, In w l -> has_value v w = true) -> (length l <= count)%nat.

  Theorem complete_rule_all : forall v count words, complete_rule v count words = true -> counted v count ->
    forall w, has_value v w = true -> In w words.
  Proof.
    intros v count words H [_ C] w Hw. destruct (in_dec (list_eq_dec Z.eq_dec) w words) as [|Out]; auto. exfalso.
    apply andb_prop in H. destruct H as [H L]. apply andb_prop in H. destruct H as [H _].
    apply andb_prop in H. destruct H as [H X]. apply andb_prop in H. destruct H as [_ V].
    apply Nat.eqb_eq in L. rewrite forallb_forall in V. apply all_different_nodup, NoDup_map_inv in X.
    specialize (C (w :: words)). simpl in C. rewrite L in C.
    enough (S count <= count)%nat by lia. apply C.
    - constructor; auto.
    - intros u [<-|Hu]; auto.
  Qed.

  Theorem complete_rule_sound : forall v count words p out,
    complete_rule v count words = true -> counted v count ->
    keeps_to_range _ _ p -> second_is_right p out \/ first_is_right p out ->
    (bits (length words) <= cost _ _ p)%nat.
  Proof.
    intros v count words p out H C K R.
    assert (F : is_fooling_list v words).
    { pose proof (complete_rule_all v count words H C) as All. destruct C as [T _].
      apply andb_prop in H. destruct H as [H _]. apply andb_prop in H. destruct H as [H Y].
      apply andb_prop in H. destruct H as [H X]. apply andb_prop in H. destruct H as [M V].
      apply Nat.eqb_eq in M. rewrite forallb_forall in V. apply all_different_nodup in X, Y.
      assert (Len : forall w, In w words -> length w = length mask).
      { intros w Hw. rewrite M. apply in_domain_length, (has_value_spec v), V, Hw. }
      split; [exact (NoDup_map_inv _ _ X)|split].
      - intros w Hw. split; auto. apply mixed_same; auto.
      - intros w w' Hw Hw' Ne. apply orb_true_intro. left.
        assert (Fit : fits_alphabets alphabets (mixed mask w w') = true).
        { apply mixed_fits; auto; [specialize (V w Hw)|specialize (V w' Hw')];
            apply has_value_spec in V; destruct V as [V _]; apply andb_prop in V; tauto. }
        assert (D : in_domain (mixed mask w w') = true).
        { apply andb_true_intro. split; auto. apply negb_true_iff, Z.eqb_neq. auto. }
        apply andb_true_intro. split; auto. apply negb_true_iff, Z.eqb_neq. intros E.
        assert (In (mixed mask w w') words) as Hin.
        { apply All. apply andb_true_intro. split; auto. apply Z.eqb_eq. exact E. }
        destruct (part_mixed mask w w') as [P Q]; auto.
        apply (NoDup_map_inv_eq _ _ _ _ X Hin Hw) in P. rewrite P in Q.
        apply Ne. exact (NoDup_map_inv_eq _ _ _ _ Y Hw Hw' Q). }
    pose proof (fooling_list_costs v words p out F K R) as Cost.
    destruct words as [|w words]; [apply Nat.le_0_l|]. apply fits_in_bits; [simpl; lia|exact Cost].
  Qed.

  (** ** distinguishing-table *)

  Definition value_at (r c : word) : Z := let w := assemble mask r c in if in_domain w then f w else outside.

  Fixpoint tell_apart (u v : list Z) : bool :=
    match u, v with
    | a :: u, b :: v => (negb (a =? b) && negb (a =? outside) && negb (b =? outside)) || tell_apart u v
    | _, _ => false
    end.

  Definition distinguishing_rule (rows columns : list word) : bool :=
    let values := map (fun r => map (value_at r) columns) rows in
    if forallb (forallb (fun a => negb (a =? outside))) values then all_different values else all_pairs tell_apart values.

  Lemma tell_apart_sym : forall u v, tell_apart u v = tell_apart v u.
  Proof.
    induction u as [|a u IH]; intros [|b v]; simpl; auto. rewrite IH, (Z.eqb_sym a b).
    destruct (b =? a), (a =? outside), (b =? outside); reflexivity.
  Qed.

  Lemma tell_apart_refl : forall u, tell_apart u u = false.
  Proof. induction u as [|a u IH]; simpl; auto. rewrite Z.eqb_refl. exact IH. Qed.

  Lemma tell_apart_spec : forall r r' columns, tell_apart (map (value_at r) columns) (map (value_at r') columns) = true ->
    exists c, In c columns /\ in_domain (assemble mask r c) = true /\ in_domain (assemble mask r' c) = true /\
      f (assemble mask r c) <> f (assemble mask r' c).
  Proof.
    induction columns as [|c columns IH]; intros H; simpl in H; [discriminate|]. apply orb_prop in H. destruct H as [H|H].
    - exists c. split; [left; reflexivity|]. unfold value_at in H.
      destruct (in_domain (assemble mask r c)), (in_domain (assemble mask r' c));
        rewrite ?Z.eqb_refl, ?andb_false_r in H; simpl in H; rewrite ?andb_false_r in H; try discriminate.
      repeat split; auto. intros E. rewrite E, Z.eqb_refl in H. discriminate.
    - destruct (IH H) as (d & Hd & Rest). exists d. split; [right; exact Hd|exact Rest].
  Qed.

  Lemma total_rows_apart : forall u v, length u = length v ->
    forallb (fun a => negb (a =? outside)) u = true -> forallb (fun a => negb (a =? outside)) v = true ->
    u <> v -> tell_apart u v = true.
  Proof.
    induction u as [|a u IH]; intros [|b v] L Hu Hv Ne; simpl in *; try discriminate; [contradiction|].
    apply andb_prop in Hu, Hv. destruct Hu as [Ha Hu], Hv as [Hb Hv]. rewrite Ha, Hb.
    destruct (Z.eqb_spec a b) as [->|]; simpl; auto. apply IH; auto. intros ->. contradiction.
  Qed.

  Lemma distinguishing_rule_spec : forall rows columns, distinguishing_rule rows columns = true ->
    NoDup rows /\ forall r r', In r rows -> In r' rows -> r <> r' ->
    tell_apart (map (value_at r) columns) (map (value_at r') columns) = true.
  Proof.
    intros rows columns H. unfold distinguishing_rule in H. set (line := fun r => map (value_at r) columns) in *.
    destruct (forallb (forallb (fun a => negb (a =? outside))) (map line rows)) eqn:T.
    - apply all_different_nodup in H. split; [exact (NoDup_map_inv _ _ H)|]. intros r r' Hr Hr' Ne.
      rewrite forallb_forall in T. apply total_rows_apart.
      + rewrite !map_length. reflexivity.
      + apply T, (in_map line), Hr.
      + apply T, (in_map line), Hr'.
      + intros E. apply Ne. exact (NoDup_map_inv_eq line rows r r' H Hr Hr' E).
    - destruct (all_pairs_spec tell_apart (map line rows)) as [N P]; auto using tell_apart_sym, tell_apart_refl.
      split; [exact (NoDup_map_inv _ _ N)|]. intros r r' Hr Hr' Ne. apply P.
      1, 2: apply (in_map line); assumption.
      intros E. apply Ne. exact (NoDup_map_inv_eq line rows r r' N Hr Hr' E).
  Qed.

  (** One-way protocols, any split of the positions. *)
  Theorem distinguishing_rule_sound : forall rows columns (Message : Type) (message : word -> Message)
    (second : Message -> word -> Z) (number : Message -> nat) n,
    distinguishing_rule rows columns = true ->
    (forall r c, in_domain (assemble mask r c) = true -> second (message r) c = f (assemble mask r c)) ->
    (forall r r', In r rows -> In r' rows -> number (message r) = number (message r') -> message r = message r') ->
    (forall r, In r rows -> (number (message r) < n)%nat) ->
    (length rows <= n)%nat.
  Proof.
    intros rows columns Message message second number n H Right Inj Below.
    destruct (distinguishing_rule_spec rows columns H) as [N P].
    destruct (le_lt_dec (length rows) n) as [|Few]; auto. exfalso.
    destruct (pigeonhole (fun r => number (message r)) n rows N Below Few) as (r & r' & Hr & Hr' & Ne & E).
    destruct (tell_apart_spec r r' columns (P r r' Hr Hr' Ne)) as (c & _ & D & D' & W).
    apply W. rewrite <- (Right r c D), <- (Right r' c D'), (Inj r r' Hr Hr' E). reflexivity.
  Qed.

  Definition all_of_length (k : nat) (l : list word) : bool := forallb (fun w => (length w =? k)%nat) l.

  (** The first party has the first K of N positions. *)
  Definition least_state_rule (K : nat) (rows columns : list word) : bool :=
    all_of_length K rows && all_of_length (length alphabets - K) columns && distinguishing_rule rows columns.

  Lemma least_state_distinguished : forall K rows columns,
    mask = repeat true K ++ repeat false (length alphabets - K) -> least_state_rule K rows columns = true ->
    NoDup rows /\ same_length Z rows K /\
    forall r r', In r rows -> In r' rows -> r <> r' -> exists c, In c columns /\ length c = (length alphabets - K)%nat /\
      in_domain (r ++ c) = true /\ in_domain (r' ++ c) = true /\ f (r ++ c) <> f (r' ++ c).
  Proof.
    intros K rows columns Prefix H. apply andb_prop in H. destruct H as [H R]. apply andb_prop in H. destruct H as [A B].
    unfold all_of_length in A, B. rewrite forallb_forall in A, B.
    destruct (distinguishing_rule_spec rows columns R) as [N P]. split; [exact N|split].
    - intros r Hr. apply Nat.eqb_eq. exact (A r Hr).
    - intros r r' Hr Hr' Ne. destruct (tell_apart_spec r r' columns (P r r' Hr Hr' Ne)) as (c & Hc & D & D' & W).
      pose proof (A r Hr) as Lr. pose proof (A r' Hr') as Lr'. pose proof (B c Hc) as Lc.
      apply Nat.eqb_eq in Lr, Lr', Lc. rewrite Prefix, !assemble_prefix in * by auto.
      exists c. auto.
  Qed.

  (** Every recurrent model, if the first party has not all positions: all three kinds of answers of [OneWay]. *)
  Theorem least_state_sound : forall K rows columns (M : Recurrent Z) d answer n,
    mask = repeat true K ++ repeat false (length alphabets - K) -> (K < length alphabets)%nat ->
    least_state_rule K rows columns = true ->
    answers_as Z Z M d answer -> is_right Z Z (fun w => in_domain w = true) f answer -> states_below Z M n rows ->
    (length rows <= n)%nat.
  Proof.
    intros K rows columns M d answer n Prefix HK H Ha Hr Hs.
    destruct (least_state_distinguished K rows columns Prefix H) as (N & L & P).
    apply (states_needed Z Z M Z.eq_dec d answer (fun w => in_domain w = true) f rows K n); auto.
    intros r r' Hr1 Hr2 Ne. destruct (P r r' Hr1 Hr2 Ne) as (c & _ & Lc & D & D' & W).
    exists c. rewrite !app_length, (L r Hr1), (L r' Hr2), Lc. repeat split; auto; lia.
  Qed.

  (** If the first party has all positions, the answer must be read from the state. *)
  Theorem least_state_of_all_sound : forall K rows columns (M : Recurrent Z) read n,
    mask = repeat true K ++ repeat false (length alphabets - K) ->
    least_state_rule K rows columns = true ->
    is_right Z Z (fun w => in_domain w = true) f (answer_of_state Z Z M read) -> states_below Z M n rows ->
    (length rows <= n)%nat.
  Proof.
    intros K rows columns M read n Prefix H Hr Hs.
    destruct (least_state_distinguished K rows columns Prefix H) as (N & L & P).
    apply (states_needed_of_state Z Z M Z.eq_dec read (fun w => in_domain w = true) f rows K n); auto.
    intros r r' Hr1 Hr2 Ne. destruct (P r r' Hr1 Hr2 Ne) as (c & _ & _ & D & D' & W). exists c. auto.
  Qed.

  (** ** rank: rows, columns, and a matrix of whole numbers that is d times the inverse of their minor. *)

  Definition entry (m : list (list Z)) (i j : nat) : Z := nth j (nth i m []) 0.

  Definition rank_rule (rows columns : list word) (inverse : list (list Z)) (d : Z) : bool :=
    let r := length rows in
    let minor := map (fun x => map (value_at x) columns) rows in
    (length columns =? r)%nat && negb (d =? 0) && forallb (forallb (fun a => negb (a =? outside))) minor &&
    forallb (fun i => forallb (fun j =>
      sum r (fun s => entry minor i s * entry inverse s j) =? (if Nat.eq_dec i j then d else 0)) (seq 0 r)) (seq 0 r).

  (** Both parties give the same answers [g], and they are right on every input. *)
  Theorem rank_rule_sound : forall rows columns inverse d g p out out',
    rank_rule rows columns inverse d = true ->
    (forall x y, in_domain (assemble mask x y) = true -> g x y = f (assemble mask x y)) ->
    keeps_to_range _ _ p -> bob_learns word word Z g p out -> alice_learns word word Z g p out' ->
    (bits (length rows) <= cost _ _ p)%nat.
  Proof.
    intros rows columns inverse d g p out out' H G K B A.
    apply andb_prop in H. destruct H as [H E]. apply andb_prop in H. destruct H as [H T]. apply andb_prop in H.
    destruct H as [L D]. apply Nat.eqb_eq in L. apply negb_true_iff, Z.eqb_neq in D.
    rewrite forallb_forall in E, T.
    assert (R : (length rows <= 2 ^ cost _ _ p)%nat).
    { apply (rank_bound word word g p out out' (length rows) (fun i => nth i rows []) (fun i => nth i columns [])
               (entry inverse) d); auto.
      intros i j Hi Hj. specialize (E i ltac:(apply in_seq; lia)). rewrite forallb_forall in E.
      specialize (E j ltac:(apply in_seq; lia)). apply Z.eqb_eq in E. rewrite <- E. apply sum_ext. intros s Hs. f_equal.
      unfold entry. rewrite (nth_indep (map _ rows) [] (map (value_at []) columns)) by (rewrite map_length; exact Hi).
      rewrite (map_nth (fun x => map (value_at x) columns)). cbv beta.
      assert (V : value_at (nth i rows []) (nth s columns []) <> outside).
      { specialize (T (map (value_at (nth i rows [])) columns)). rewrite forallb_forall in T.
        apply Z.eqb_neq, negb_true_iff. apply T; [apply (in_map (fun x => map (value_at x) columns)), nth_In; exact Hi|].
        apply in_map, nth_In. lia. }
      rewrite (nth_indep (map _ columns) 0 (value_at (nth i rows []) [])) by (rewrite map_length; lia). rewrite map_nth.
      unfold value_at in *. destruct (in_domain (assemble mask (nth i rows []) (nth s columns []))) eqn:Dom; [|contradiction].
      apply G. exact Dom. }
    destruct rows as [|r rows]; [apply Nat.le_0_l|]. apply fits_in_bits; [simpl; lia|exact R].
  Qed.
End Rules.

(** ** one-layer-message: equality of two halves of h symbols below S. The fooling set is too long to list, but known. *)

Definition one_layer_rule (symbols : N) (h : nat) (nearest : bool) (heads width vocabulary : nat) (L : N) : bool :=
  (1 <=? h)%nat && (1 <=? vocabulary)%nat && (1 <=? L)%N &&
  (message_bits_of_token (if nearest then 1 else 0) (N.of_nat (2 * h)) (N.of_nat heads) (N.of_nat width) (N.of_nat vocabulary) L
   <? N.log2_up (symbols ^ N.of_nat h))%N.

(** No layer on the grid of L steps a unit, whose question is a token of this vocabulary, decides equality. *)
Theorem one_layer_rule_sound : forall symbols h nearest heads width vocabulary L,
  one_layer_rule symbols h nearest heads width vocabulary L = true ->
  forall (Answer : Type) (yes : Answer) (g : grid_layer nat Answer heads width vocabulary 1 (Z.of_N L)),
  ~ decides_equality h (N.to_nat symbols) heads width vocabulary 1 (Z.of_N L) nearest Answer yes g.
Proof.
  intros symbols h nearest heads width vocabulary L H Answer yes g D. unfold one_layer_rule in H.
  apply andb_prop in H. destruct H as [H Short]. apply N.ltb_lt in Short.
  apply andb_prop in H. destruct H as [H HL]. apply N.leb_le in HL.
  apply andb_prop in H. destruct H as [Hh HV]. apply Nat.leb_le in Hh, HV.
  pose proof (equality_one_layer h (N.to_nat symbols) heads width vocabulary 1 (Z.of_N L) nearest Answer yes g Hh HV
    ltac:(lia) D) as B.
  assert (Bits : (bits (N.to_nat symbols ^ h) <= message_bits nearest (2 * h) heads width vocabulary 1 (Z.of_N L))%nat).
  { destruct (Nat.eq_dec (N.to_nat symbols ^ h) 0) as [->|]; [apply Nat.le_0_l|]. apply fits_in_bits; [lia|exact B]. }
  pose proof (message_bits_right nearest (2 * h) heads width vocabulary (N.to_nat L) ltac:(lia) ltac:(lia)) as MB.
  rewrite N2Nat.id in MB. replace (Z.of_nat (N.to_nat L)) with (Z.of_N L) in MB by lia. rewrite <- MB in Bits.
  pose proof (bits_right (symbols ^ N.of_nat h)) as BR. rewrite N2Nat.inj_pow, Nat2N.id in BR. rewrite <- BR in Bits. lia.
Qed.


(** Equality of two letters: the rules accept these lists, and refuse those below. *)
Definition two_letters : list (Z * Z) := [(0, 3); (0, 3)].
Definition equal_letters (w : word) : Z := if nth 0 w 0 =? nth 1 w 0 then 1 else 0.

Example the_rules_accept :
  fooling_rule two_letters equal_letters [true; false] 1 [[0; 0]; [1; 1]; [2; 2]] = true /\
  complete_rule two_letters equal_letters [true; false] 1 3 [[0; 0]; [1; 1]; [2; 2]] = true /\
  least_state_rule two_letters equal_letters [true; false] 1 [[0]; [1]; [2]] [[0]; [1]] = true /\
  rank_rule two_letters equal_letters [true; false] [[0]; [1]] [[0]; [1]] [[1; 0]; [0; 1]] 1 = true /\
  one_layer_rule 2 100 false 1 1 2 4 = true.
Proof. repeat split; vm_compute; reflexivity. Qed.

Example the_rules_refuse :
  fooling_rule two_letters equal_letters [true; false] 1 [[0; 0]; [0; 0]] = false /\
  complete_rule two_letters equal_letters [true; false] 1 3 [[0; 0]; [1; 1]] = false /\
  least_state_rule two_letters equal_letters [true; false] 1 [[0]; [1]; [2]] [[0]] = false /\
  rank_rule two_letters equal_letters [true; false] [[0]; [0]] [[0]; [1]] [[1; 0]; [0; 1]] 1 = false /\
  one_layer_rule 2 100 false 4 4 2 4 = false.
Proof. repeat split; vm_compute; reflexivity. Qed.

(** Parties and models that meet the hypotheses: the first party says its letter. *)
Definition letter (x : word) : nat := Z.to_nat (Z.max 0 (Z.min 2 (hd 0 x))).
Definition letters_said : protocol word word := Alice _ _ 3 letter (fun _ => Bob _ _ 3 letter (fun _ => Done _ _)).
Definition same_letters (_ : word) (t : list nat) : Z := if (hd 0 t =? hd 0 (tl t))%nat then 1 else 0.

Lemma letters_range : keeps_to_range _ _ letters_said.
Proof.
  assert (B : forall x, (letter x < 3)%nat) by (intros x; unfold letter; lia).
  split; [exact B|]. intros i _. split; [exact B|]. intros j _. exact I.
Qed.

Lemma letters_right : forall x y, in_domain two_letters equal_letters (assemble [true; false] x y) = true ->
  exists a b, hd 0 x = a /\ hd 0 y = b /\ 0 <= a < 3 /\ 0 <= b < 3 /\
    equal_letters (assemble [true; false] x y) = if a =? b then 1 else 0.
Proof.
  intros [|a x] [|b y] H; try discriminate H;
    [unfold in_domain in H; cbn in H; rewrite andb_false_r in H; discriminate H|]. exists a, b. cbn [hd assemble] in *. unfold
      in_domain in H.
  apply andb_prop in H. destruct H as [H _]. cbn in H. rewrite !andb_true_iff in H. repeat split; lia.
Qed.

Lemma second_says : second_is_right two_letters equal_letters [true; false] letters_said same_letters.
Proof.
  intros x y H. destruct (letters_right x y H) as (a & b & Ex & Ey & Ha & Hb & ->). unfold same_letters, letters_said.
  cbn [transcript hd tl]. unfold letter. rewrite Ex, Ey.
  destruct (Z.eqb_spec a b), (Nat.eqb_spec (Z.to_nat (Z.max 0 (Z.min 2 a))) (Z.to_nat (Z.max 0 (Z.min 2 b)))); lia.
Qed.

Example parties_meet_the_rules : (bits 3 <= 4)%nat /\ (bits 2 <= 4)%nat /\ (2 <= 3)%nat.
Proof.
  destruct the_rules_accept as (F & _ & _ & R & _). split; [|split].
  - apply (fooling_rule_sound two_letters equal_letters [true; false] 1 [[0; 0]; [1; 1]; [2; 2]] letters_said same_letters F
      letters_range (or_introl second_says)).
  - set (g := fun x y => if (letter x =? letter y)%nat then 1 else 0).
    apply (rank_rule_sound two_letters equal_letters [true; false] [[0]; [1]] [[0]; [1]] [[1; 0]; [0; 1]] 1 g letters_said
      same_letters same_letters R); [|exact letters_range|intros x y; reflexivity|intros x y; reflexivity].
    intros x y H. pose proof (second_says x y H) as E. rewrite <- E. reflexivity.
  - apply (distinguishing_rule_sound two_letters equal_letters [true; false] [[0]; [1]] [[0]; [1]] nat letter
      (fun m y => if (m =? letter y)%nat then 1 else 0) (fun m => m) 3).
    + vm_compute. reflexivity.
    + intros r c H. pose proof (second_says r c H) as E. rewrite <- E. reflexivity.
    + auto.
    + intros r _. unfold letter. lia.
Qed.

Example models_meet_the_rules : (3 <= 3)%nat /\ (3 <= 3)%nat.
Proof.
  destruct the_rules_accept as (_ & _ & S & _). split.
  - apply (least_state_sound two_letters equal_letters [true; false] 1 [[0]; [1]; [2]] [[0]; [1]] (history Z) 0 _ 3 eq_refl
      ltac:(simpl; lia) S (history_answers _ _ 0 equal_letters)); [apply history_right|apply (history_states _ Z.eq_dec);
        simpl; lia].
  - apply (least_state_of_all_sound two_letters equal_letters [true; false] 1 [[0]; [1]; [2]] [[0]; [1]] (history Z)
    equal_letters 3
      eq_refl S); [apply history_right|apply (history_states _ Z.eq_dec); simpl; lia].
Qed.

Definition silent_layer : grid_layer nat bool 1 1 2 1 4.
Proof.
  refine {| ask := fun _ => [0%nat]; OneLayerBounds.score := fun _ _ _ _ => 0; OneLayerBounds.value := fun _ _ _ _ _ => 0;
            OneLayerBounds.expo := fun _ => 1; OneLayerBounds.finish := fun _ _ => true |}; intros; try lia.
  split; [reflexivity|]. intros v [<-|[]]. lia.
Defined.

Example no_small_layer : ~ decides_equality 100 2 1 1 2 1 4 false bool true silent_layer.
Proof.
  apply (one_layer_rule_sound 2 100 false 1 1 2 4). destruct the_rules_accept as (_ & _ & _ & _ & O). exact O.
Qed.

Lemma three_equal_words : counted two_letters equal_letters 1 3.
Proof.
  split.
  - intros w _. unfold equal_letters, outside. destruct (_ =? _); discriminate.
  - intros l N H. apply (NoDup_incl_length (l' := [[0; 0]; [1; 1]; [2; 2]]) N). intros w Hw. specialize (H w Hw).
    unfold has_value, in_domain in H. rewrite !andb_true_iff in H. destruct H as [[F _] V].
    destruct w as [|a [|b [|c w]]]; cbn in F; rewrite ?andb_true_iff, ?andb_false_r in F; try (exfalso; intuition discriminate).
    unfold equal_letters in V. cbn in V. destruct (Z.eqb_spec a b) as [<-|]; [|discriminate].
    assert (a = 0 \/ a = 1 \/ a = 2) as [->|[->| ->]] by lia; simpl; auto.
Qed.

Example a_complete_list : (bits 3 <= 4)%nat /\ In [2; 2] [[0; 0]; [1; 1]; [2; 2]].
Proof.
  destruct the_rules_accept as (_ & C & _). split.
  - apply (complete_rule_sound two_letters equal_letters [true; false] 1 3 [[0; 0]; [1; 1]; [2; 2]] letters_said same_letters C
      three_equal_words letters_range (or_introl second_says)).
  - apply (complete_rule_all two_letters equal_letters [true; false] 1 3 _ C three_equal_words). reflexivity.
Qed.
