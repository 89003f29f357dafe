(* Reads whole numbers from standard input: a number of layers and the layers, then a number of networks and the networks.
   It prints one line for each layer, its value sums, and one for each input of a network, its logits and its next token.

   A layer is: rounding (0 down, 1 nearest), N, H, m, L, the H N scores, the H m N values, and the exponentials of the
   differences -2 L^2 .. 0. A network is: n, L, eta, the exponentials of the differences -L eta .. 0, and a number of inputs.
   An input is the number of its tokens and these; a token is its place in the vocabulary. *)

let number () = Scanf.scanf " %d" (fun value -> value)
let table count = Array.init count (fun _ -> number ())

let print numbers = print_endline (String.concat " " (List.map string_of_int numbers))

let token n code =
  if code = 0 then Layer.Bos
  else if code <= n then Layer.Vertex code
  else if code = n + 1 then Layer.Between
  else if code = n + 2 then Layer.No
  else if code = n + 3 then Layer.Yes
  else Layer.Pointer (code - n - 3)

let code n = function
  | Layer.Bos -> 0
  | Layer.Vertex vertex -> vertex
  | Layer.Between -> n + 1
  | Layer.No -> n + 2
  | Layer.Yes -> n + 3
  | Layer.Pointer vertex -> n + 3 + vertex

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
    print sums
  done;
  let networks = number () in
  for _ = 1 to networks do
    let n = number () in
    let steps = number () in
    let eta = number () in
    let far = steps * eta in
    let exponentials = table (far + 1) in
    let expo d = if d > 0 then failwith "difference above 0" else if d < -far then 0 else exponentials.(d + far) in
    let inputs = number () in
    for _ = 1 to inputs do
      let tokens = Array.map (token n) (table (number ())) in
      let last = Array.length tokens - 1 in
      let logits = Layer.logits_run n steps eta expo (Array.get tokens) last in
      print (logits @ [ code n (Layer.next_run n steps eta expo (Array.get tokens) last) ])
    done
  done
