(* Reads layers as whole numbers from standard input and prints the value sums of each, one line a layer.

   A layer is: rounding (0 down, 1 nearest), N, H, m, L, the H N scores, the H m N values, and the exponentials of the
   differences -2 L^2 .. 0. *)

let number () = Scanf.scanf " %d" (fun value -> value)
let table count = Array.init count (fun _ -> number ())

let () =
  let layers = number () in
  for _ = 1 to layers do
    let nearest = number () = 1 in
    let positions = number () in
    let heads = number () in
    let width = number () in
    let steps = number () in
    let scores = table (heads * positions) in
    let values = table (heads * width * positions) in
    let least = -2 * steps * steps in
    let exponentials = table (1 - least) in
    let sums =
      Layer.run_layer nearest positions heads width steps
        (fun h i -> scores.((h * positions) + i))
        (fun h j i -> values.((((h * width) + j) * positions) + i))
        (fun d -> if d > 0 || d < least then failwith "difference out of range" else exponentials.(d - least))
    in
    print_endline (String.concat " " (List.map string_of_int sums))
  done
