(** The layer of [OneLayerBounds] and the network of [PeelingRun] as an OCaml program. A test runs it next to the executor.

    [run_layer] is [answer] with tables for scores, values and exponentials, and with all value sums as its answer.
    [logits_run] and [next_run] are the logits and the next token of the network. Numbers of Coq become OCaml's integers of 63
    bits, so the inputs of the test are small. *)

From Coq Require Import List ZArith Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.
From Seqsep Require Import OneLayer OneLayerBounds PeelingRun.
Import ListNotations.

Definition run_layer (nearest : bool) (N H m : nat) (L : Z) (score : nat -> nat -> Z) (value : nat -> nat -> nat -> Z)
  (expo : Z -> Z) : list Z :=
  forward nat (list Z) N H m (L * L) (fun _ => []) (fun _ h i _ => score h i) (fun _ h j i _ => value h j i) expo
    (weight_of nearest L) (fun _ sums => sums) (fun _ => 0%nat).

(** It is [answer] of the layer with these tables, whatever its bounds are. *)
Theorem run_layer_is_answer : forall nearest N H m L score value expo finish f1 f2 f3 f4,
  answer nat (list Z) N H m 1 0 L nearest
    {| ask := fun _ => []; OneLayerBounds.score := fun _ h i _ => score h i;
      OneLayerBounds.value := fun _ h j i _ => value h j i;
       OneLayerBounds.expo := expo; OneLayerBounds.finish := fun _ sums => finish sums; ask_fits := f1; score_on_grid := f2;
       value_on_grid := f3; expo_on_grid := f4 |} (fun _ => 0%nat) = finish (run_layer nearest N H m L score value expo).
Proof. reflexivity. Qed.

Extraction "layer.ml" run_layer logits_run next_run.
