(** Words over a finite alphabet, the pigeonhole principle, and bits.

    This file has no theorem of a paper. It has the three tools that every lower bound here uses:
    - there are S^N words of N symbols, and [words] lists each of them once;
    - if n numbers are given to more than n things, then two of the things have one number ([pigeonhole]);
    - n numbers fit into B bits exactly if n <= 2^B, so exactly if ceil(log2 n) <= B ([fits_in_bits]). *)

From Coq Require Import List Arith Lia FinFun.
Import ListNotations.

Section Words.
  Context {A : Type}.

  (** All words of [n] symbols. *)
  Fixpoint words (alphabet : list A) (n : nat) : list (list A) :=
    match n with
    | 0 => [[]]
    | S n => flat_map (fun x => map (cons x) (words alphabet n)) alphabet
    end.

  Lemma length_flat_map_same : forall {B C} (f : B -> list C) l m,
    (forall x, In x l -> length (f x) = m) -> length (flat_map f l) = length l * m.
  Proof.
    induction l as [|x l IH]; intros m H; simpl; auto.
    rewrite app_length, (H x), (IH m); simpl; auto.
    intros y Hy. apply H. right. exact Hy.
  Qed.

  Lemma words_length : forall alphabet n, length (words alphabet n) = length alphabet ^ n.
  Proof.
    induction n as [|n IH]; simpl; auto.
    rewrite (length_flat_map_same _ _ (length alphabet ^ n)); auto.
    intros x _. rewrite map_length. exact IH.
  Qed.

  Lemma in_words : forall alphabet n w,
    In w (words alphabet n) <-> length w = n /\ (forall x, In x w -> In x alphabet).
  Proof.
    induction n as [|n IH]; intros w; simpl.
    - split.
      + intros [<-|[]]. split; auto. intros x [].
      + intros [H _]. destruct w; [left; reflexivity|discriminate].
    - rewrite in_flat_map. split.
      + intros (x & Hx & H). apply in_map_iff in H. destruct H as (v & <- & Hv).
        apply IH in Hv. destruct Hv as [<- Hv]. split; auto.
        intros y [<-|Hy]; auto.
      + intros [H Hw]. destruct w as [|x w]; [discriminate|].
        exists x. split; [apply Hw; left; reflexivity|].
        apply in_map. apply IH. split; [simpl in H; lia|]. intros y Hy. apply Hw. right. exact Hy.
  Qed.

  Lemma NoDup_app_disjoint : forall (l m : list A),
    NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
  Proof.
    induction l as [|x l IH]; intros m Hl Hm H; simpl; auto.
    inversion Hl; subst. constructor.
    - rewrite in_app_iff. intros [Hx|Hx]; [contradiction|]. exact (H x (or_introl eq_refl) Hx).
    - apply IH; auto. intros y Hy. apply H. right. exact Hy.
  Qed.
End Words.

Lemma words_nodup : forall {A} (alphabet : list A) n, NoDup alphabet -> NoDup (words alphabet n).
Proof.
  intros A alphabet n H. induction n as [|n IH]; simpl.
  - constructor; [intros []|constructor].
  - assert (G : forall l, NoDup l -> NoDup (flat_map (fun x => map (cons x) (words alphabet n)) l)).
    { induction l as [|x l IHl]; intros Hl; simpl; [constructor|].
      inversion Hl; subst. apply NoDup_app_disjoint; auto.
      - apply Injective_map_NoDup; auto. intros u v E. congruence.
      - intros w Hw Hw'. apply in_map_iff in Hw. destruct Hw as (u & <- & _).
        apply in_flat_map in Hw'. destruct Hw' as (y & Hy & E).
        apply in_map_iff in E. destruct E as (v & E & _). congruence. }
    apply G. exact H.
Qed.

(** A function that keeps the things of a list different maps it to a list without repetitions. *)
Lemma NoDup_map_different : forall {A B} (f : A -> B) l,
  (forall x y, In x l -> In y l -> x <> y -> f x <> f y) -> NoDup l -> NoDup (map f l).
Proof.
  intros A B f. induction l as [|x l IH]; intros H Hn; simpl; [constructor|]. inversion Hn; subst. constructor.
  - intros Hin. apply in_map_iff in Hin. destruct Hin as (y & E & Hy).
    apply (H x y); [left; reflexivity|right; exact Hy|intros ->; contradiction|congruence].
  - apply IH; auto. intros y z Hy Hz. apply H; right; assumption.
Qed.

(** A list without one of its things. *)
Lemma remove_length : forall l x, NoDup l -> In x l -> S (length (remove Nat.eq_dec x l)) = length l.
Proof.
  induction l as [|y l IH]; intros x Hn Hx; [contradiction|]. inversion Hn; subst. simpl.
  destruct (Nat.eq_dec x y) as [->|Ne].
  - rewrite notin_remove; auto.
  - destruct Hx as [->|Hx]; [contradiction|]. simpl. rewrite IH; auto.
Qed.

Lemma remove_nodup : forall l x, NoDup l -> NoDup (remove Nat.eq_dec x l).
Proof.
  induction l as [|y l IH]; intros x Hn; simpl; [constructor|]. inversion Hn; subst.
  destruct (Nat.eq_dec x y); auto. constructor; auto. intros H. apply in_remove in H. tauto.
Qed.

(** More than [n] things with numbers below [n]: two of them share a number. *)
Lemma pigeonhole : forall {T} (number : T -> nat) n l,
  NoDup l -> (forall x, In x l -> number x < n) -> n < length l ->
  exists x y, In x l /\ In y l /\ x <> y /\ number x = number y.
Proof.
  intros T number n l Hl Hn Hlen.
  assert (D : forall l, NoDup l ->
    (exists x y, In x l /\ In y l /\ x <> y /\ number x = number y) \/ NoDup (map number l)).
  { clear. induction l as [|x l IH]; intros Hl; simpl.
    - right. constructor.
    - inversion Hl as [|? ? Hx Hl']; subst. destruct (IH Hl') as [(a & b & Ha & Hb & H)|H].
      + left. exists a, b. simpl. auto.
      + destruct (in_dec Nat.eq_dec (number x) (map number l)) as [i|i].
        * left. apply in_map_iff in i. destruct i as (y & E & Hy).
          exists x, y. simpl. repeat split; auto. intros ->. contradiction.
        * right. constructor; auto. }
  destruct (D l Hl) as [H|H]; auto. exfalso.
  assert (length (map number l) <= length (seq 0 n)) as L.
  { apply NoDup_incl_length; auto. intros k Hk. apply in_map_iff in Hk.
    destruct Hk as (x & <- & Hx). apply in_seq. specialize (Hn x Hx). lia. }
  rewrite map_length, seq_length in L. lia.
Qed.

(** [k] numbers fit into [b] bits. *)
Definition bits (k : nat) : nat := Nat.log2_up k.

Lemma fits_in_bits : forall k b, 1 <= k -> k <= 2 ^ b <-> bits k <= b.
Proof.
  intros k b H. unfold bits. split; intros E.
  - apply Nat.log2_up_le_pow2; auto.
  - apply Nat.log2_up_le_pow2 in E; auto.
Qed.

Lemma words_differ : forall (u v : list nat) d,
  length u = length v -> u <> v -> exists i, i < length u /\ nth i u d <> nth i v d.
Proof.
  induction u as [|x u IH]; intros [|y v] d H E; simpl in *; try discriminate.
  - contradiction.
  - destruct (Nat.eq_dec x y) as [->|N].
    + destruct (IH v d) as (i & Hi & Ni); [lia|congruence|]. exists (S i). split; auto. lia.
    + exists 0. split; auto. lia.
Qed.
