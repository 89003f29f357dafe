(** The rules of [Certificates] as an OCaml program, which [seqsep-check-verified] calls.

    Whole numbers stay the exact ones of Coq, so that no product of [rank_rule] overflows. The natural numbers that count
    words and positions become OCaml's integers of 63 bits; a file of at most 10 MiB has fewer. *)

From Coq Require Import ZArith NArith Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Seqsep Require Import Words Constants Certificates.

(** The bits of a claim, which the theorems call [bits]. *)
Definition claimed_bits (count : nat) : N := N.log2_up (N.of_nat count).

Theorem claimed_bits_right : forall count, N.to_nat (claimed_bits count) = bits count.
Proof. intros. unfold claimed_bits. rewrite bits_right, Nat2N.id. reflexivity. Qed.

Extraction "rules.ml" fooling_rule complete_rule distinguishing_rule least_state_rule rank_rule one_layer_rule claimed_bits
  message_bits_of_token equality_bits Z.add Z.mul Z.opp.
