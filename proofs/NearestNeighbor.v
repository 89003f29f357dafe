(** Nearest neighbour: a recurrent model needs floor(N/2) log2 C bits of state for labels of C classes.

    In words. A model reads n points, each with its label, and then a point. It answers with the label of the point whose inner
    product with the query is greatest. Every recurrent model that is right on all labels has at least C^n states after the n
    labelled points. With two labels and n = floor(N/2) these are floor(N/2) bits.

    Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 8 and appendix G.1. In Python: [nearest-neighbor-state].

    The hypotheses, for a real model: see [OneWay]. [separated] says that each point has a greater product with itself than with
    any other point. This holds for different points of one norm. *)

From Coq Require Import List Arith Lia ZArith.
From Seqsep Require Import Words OneWay.
Import ListNotations.

Section NearestNeighbor.
  (** Points of any kind, with an inner product of whole numbers (steps of a grid). *)
  Variable Point : Type.
  Variable product : Point -> Point -> Z.

  Inductive token := At (x : Point) | Label (y : nat).

  (** The label of the nearest labelled point: the first of several equally near ones. *)
  Fixpoint nearest (x : Point) (w : list token) (best : option (Z * nat)) : nat :=
    match w with
    | At a :: Label y :: rest =>
      match best with
      | Some (b, _) => if (b <? product a x)%Z then nearest x rest (Some (product a x, y)) else nearest x rest best
      | None => nearest x rest (Some (product a x, y))
      end
    | _ => match best with Some (_, y) => y | None => 0 end
    end.

  Definition nearest_neighbor (w : list token) : nat :=
    match last w (Label 0) with At x => nearest x (removelast w) None | Label _ => 0 end.

  Variable points : list Point.
  Variable C : nat.

  Definition separated : Prop := forall x a, In x points -> In a points -> x <> a -> (product a x < product x x)%Z.

  Fixpoint labelled (xs : list Point) (ys : list nat) : list token :=
    match xs, ys with x :: xs, y :: ys => At x :: Label y :: labelled xs ys | _, _ => [] end.

  Definition is_nearest_neighbor (w : list token) : Prop :=
    exists ys x, In ys (words (seq 0 C) (length points)) /\ In x points /\ w = labelled points ys ++ [At x].

  Lemma nearest_right : forall xs ys x best i d, length xs = length ys -> NoDup xs -> nth_error xs i = Some x ->
    (forall a, In a xs -> x <> a -> (product a x < product x x)%Z) ->
    (match best with Some (b, _) => (b < product x x)%Z | None => True end) ->
    nearest x (labelled xs ys) best = nth i ys d.
  Proof.
    assert (Keep : forall xs ys x y, length xs = length ys -> (forall a, In a xs -> (product a x <= product x x)%Z) ->
      nearest x (labelled xs ys) (Some (product x x, y)) = y).
    { induction xs as [|a xs IH]; intros [|z ys] x y L H; simpl in *; try discriminate; auto.
      assert (product a x <= product x x)%Z by (apply H; auto).
      destruct (Z.ltb_spec (product x x) (product a x)); [lia|]. apply IH; auto. }
    induction xs as [|a xs IH]; intros [|y ys] x best i d L Hn Hi Hs Hb; simpl in L; try discriminate.
    - destruct i; discriminate.
    - inversion Hn as [|? ? Ha Hn']; subst. destruct i as [|i]; cbn [nth_error] in Hi.
      + injection Hi as ->. simpl.
        assert (K : nearest x (labelled xs ys) (Some (product x x, y)) = y).
        { apply Keep; [lia|]. intros z Hz. apply Z.lt_le_incl, Hs; [right; exact Hz|]. intros ->. contradiction. }
        destruct best as [[b l]|]; auto. destruct (Z.ltb_spec b (product x x)); auto. lia.
      + assert (Hin : In x xs) by (eapply nth_error_In; eauto).
        assert (product a x < product x x)%Z by (apply Hs; [left; reflexivity|intros ->; contradiction]).
        simpl. destruct best as [[b l]|].
        * destruct (Z.ltb_spec b (product a x)); apply IH; auto; try lia; intros z Hz; apply Hs; right; exact Hz.
        * apply IH; auto; try lia. intros z Hz. apply Hs. right. exact Hz.
  Qed.

  Lemma labelled_length : forall xs ys, length xs = length ys -> length (labelled xs ys) = 2 * length xs.
  Proof.
    induction xs as [|x xs IH]; intros [|y ys] L; simpl in *; try discriminate; auto. rewrite IH by lia. lia.
  Qed.

  Lemma labelled_injective : forall xs u v, length xs = length u -> length xs = length v ->
    labelled xs u = labelled xs v -> u = v.
  Proof.
    induction xs as [|x xs IH]; intros [|a u] [|b v] L L' E; simpl in *; try discriminate; auto.
    injection E as -> E. f_equal. apply IH; auto.
  Qed.

  Theorem nearest_neighbor_state : forall (M : Recurrent token) d answer k,
    NoDup points -> separated -> answers_as token nat M d answer ->
    is_right token nat is_nearest_neighbor nearest_neighbor answer ->
    states_below token M k (map (labelled points) (words (seq 0 C) (length points))) -> C ^ length points <= k.
  Proof.
    intros M d answer k Hn Hsep Ha Hr Hs.
    set (P := map (labelled points) (words (seq 0 C) (length points))) in *.
    replace (C ^ length points) with (length P)
      by (unfold P; rewrite map_length, words_length, seq_length; reflexivity).
    assert (Hl : forall ys, In ys (words (seq 0 C) (length points)) -> length points = length ys).
    { intros ys H. apply in_words in H. symmetry. tauto. }
    eapply states_needed with (K := 2 * length points); eauto using Nat.eq_dec.
    - assert (G : forall l, NoDup l -> (forall v, In v l -> length points = length v) -> NoDup (map (labelled points) l)).
      { induction l as [|v l IH]; intros Hd Hv; simpl; constructor; inversion Hd; subst.
        - intros Hin. apply in_map_iff in Hin. destruct Hin as (u & E & Hu).
          apply labelled_injective in E; [subst; contradiction| |]; apply Hv; simpl; auto.
        - apply IH; auto. intros u Hu. apply Hv. right. exact Hu. }
      apply G; auto. apply words_nodup, seq_NoDup.
    - intros p Hp. apply in_map_iff in Hp. destruct Hp as (ys & <- & Hys). apply labelled_length. auto.
    - intros p p' Hp Hp' Ne. apply in_map_iff in Hp, Hp'. destruct Hp as (u & <- & Hu), Hp' as (v & <- & Hv).
      destruct (words_differ u v 0) as (i & Hi & D); [rewrite <- (Hl u), <- (Hl v); auto|congruence|].
      rewrite <- (Hl u Hu) in Hi.
      destruct (nth_error points i) as [x|] eqn:E; [|apply nth_error_None in E; lia].
      assert (Hx : In x points) by (eapply nth_error_In; eauto).
      assert (A : forall ys, In ys (words (seq 0 C) (length points)) ->
        nearest_neighbor (labelled points ys ++ [At x]) = nth i ys 0).
      { intros ys Hys. unfold nearest_neighbor. rewrite last_last, removelast_last.
        apply (nearest_right points ys x None i 0); auto. }
      assert (Ll : forall ys, In ys (words (seq 0 C) (length points)) ->
        2 * length points < length (labelled points ys ++ [At x])).
      { intros ys Hys. rewrite app_length, labelled_length by auto. simpl. lia. }
      exists [At x]. repeat split; auto.
      + exists u, x. auto.
      + exists v, x. auto.
      + rewrite !A by auto. exact D.
  Qed.
End NearestNeighbor.

(** Points that meet the hypothesis: unit vectors, as numbers, with product 1 of equal ones and 0 of others. *)
Example unit_vectors_separated : forall n, separated nat (fun a x => if Nat.eqb a x then 1%Z else 0%Z) (seq 0 n).
Proof.
  intros n x a _ _ Ne. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec a x); [subst; contradiction|lia].
Qed.

(** With two such points and labels from an alphabet of two, the model that keeps all tokens meets the hypotheses. *)
Example two_points : 2 ^ 2 <= 4.
Proof.
  set (product := fun a x => if Nat.eqb a x then 1%Z else 0%Z).
  assert (E : forall a b : token nat, {a = b} + {a <> b}) by (decide equality; apply Nat.eq_dec).
  apply (nearest_neighbor_state nat product (seq 0 2) 2 (history (token nat)) (Label nat 0) _ 4 (seq_NoDup _ _)
    (unit_vectors_separated 2) (history_answers _ _ _ (nearest_neighbor nat product)));
    [apply history_right|apply (history_states _ E); simpl; lia].
Qed.
