(* seqsep-check-verified FILE: a second checker of certificates, whose rules are proved sound (proofs/Certificates.v).

   Exit status, and one line on standard output: 0 it holds; 1 rejected, and why; 2 not a certificate, too large, or of a type
   or task that this program does not know. It knows the types fooling-set and distinguishing-table of
   docs/reference/certificates.md, and two types of its own, which seqsep_check.py does not know:

     rank               witness alice, rows, columns, inverse, determinant: the minor of the rows and columns times the inverse
                        is the determinant times the unit matrix; claims rank, bits
     one-layer-message  the task equality, witness heads, width, vocabulary, steps, nearest: the message of a layer of attention
                        with these sizes has fewer bits than the S^(N/2) words need; claims bits, message_bits

   Proved: if a rule of the module Rules returns true, its theorem in Certificates.v holds for the function that it was given.
   Not proved, and to be read here: the JSON and its canonical form, SHA-256, the form of the fields, the bounds on work, the
   functions of the tasks, the number of inputs with a value (for complete = 1), and what a theorem's name asks of a witness.
   Trusted too: Coq, its extraction, and the compiler of OCaml. *)

exception Answer of int * string

let require condition why = if not condition then raise (Answer (1, "rejected: " ^ why))
let require_fit condition why = if not condition then raise (Answer (2, "unfit: " ^ why))

(* ---- JSON: whole numbers, strings without escapes, lists, objects with ascending keys. *)

type json = Number of string | Text of string | List of json list | Object of (string * json) list | Other of string

let most_bytes = 10 lsl 20
let most_brackets = 200_000
let most_digits = 64
let most_depth = 900

let parse text =
  let at = ref 0 in
  let unfit () = raise (Answer (2, "unfit: not JSON")) in
  let peek () = if !at < String.length text then text.[!at] else unfit () in
  let take character = if peek () = character then incr at else unfit () in
  let string () =
    take '"';
    let first = !at in
    while peek () <> '"' do
      if peek () = '\\' || peek () < ' ' || peek () > '~' then unfit ();
      incr at
    done;
    incr at;
    String.sub text first (!at - first - 1)
  in
  let rec value depth =
    if depth > most_depth then unfit ();
    match peek () with
    | '"' -> Text (string ())
    | '[' ->
        incr at;
        if peek () = ']' then (incr at; List []) else List (items depth [])
    | '{' ->
        incr at;
        if peek () = '}' then (incr at; Object []) else Object (fields depth [])
    | '-' | '0' .. '9' ->
        let first = !at in
        if peek () = '-' then incr at;
        let digits = !at in
        while !at < String.length text && text.[!at] >= '0' && text.[!at] <= '9' do incr at done;
        let count = !at - digits in
        let number = String.sub text first (!at - first) in
        if count = 0 || (count > 1 && text.[digits] = '0') || number = "-0" || count > most_digits then unfit ();
        Number number
    | 't' | 'f' | 'n' ->
        let word = List.find_opt (fun word -> !at + String.length word <= String.length text
          && String.sub text !at (String.length word) = word) [ "true"; "false"; "null" ] in
        (match word with Some word -> at := !at + String.length word; Other word | None -> unfit ())
    | _ -> unfit ()
  and items depth found =
    let found = value (depth + 1) :: found in
    if peek () = ',' then (incr at; items depth found) else (take ']'; List.rev found)
  and fields depth found =
    let name = string () in
    (match found with (before, _) :: _ when before >= name -> unfit () | _ -> ());
    take ':';
    let found = (name, value (depth + 1)) :: found in
    if peek () = ',' then (incr at; fields depth found) else (take '}'; List.rev found)
  in
  let whole = value 0 in
  if !at <> String.length text then unfit ();
  whole

let rec write out = function
  | Number number | Other number -> Buffer.add_string out number
  | Text text -> Buffer.add_char out '"'; Buffer.add_string out text; Buffer.add_char out '"'
  | List items ->
      Buffer.add_char out '[';
      List.iteri (fun place item -> if place > 0 then Buffer.add_char out ','; write out item) items;
      Buffer.add_char out ']'
  | Object fields ->
      Buffer.add_char out '{';
      List.iteri (fun place (name, item) ->
        if place > 0 then Buffer.add_char out ',';
        write out (Text name); Buffer.add_char out ':'; write out item) fields;
      Buffer.add_char out '}'

(* ---- SHA-256 (FIPS 180-4). *)

let primes count =
  let rec more found candidate =
    if List.length found = count then List.rev found
    else more (if List.exists (fun prime -> candidate mod prime = 0) found then found else candidate :: found) (candidate + 1)
  in
  more [] 2

(* The first 32 bits of the fraction of the root: the greatest r with r^power <= prime * 2^(32 power), modulo 2^32.
The powers have
   up to 107 bits, so they are the exact numbers of Coq. *)
let rec positive n = if n = 1 then Rules.XH else if n land 1 = 1 then
  Rules.XI (positive (n lsr 1)) else Rules.XO (positive (n lsr 1))
let z n = if n = 0 then Rules.Z0 else if n > 0 then Rules.Zpos (positive n) else Rules.Zneg (positive (-n))
let not_above a b = match Rules.Z.add b (Rules.Z.opp a) with Rules.Zneg _ -> false | _ -> true

let fraction power prime =
  let raised n = List.fold_left (fun product _ -> Rules.Z.mul product n) (z 1) (List.init power Fun.id) in
  let bound = Rules.Z.mul (z prime) (raised (z (1 lsl 32))) in
  let rec search low high =
    if high - low = 1 then low
    else
      let middle = (low + high) / 2 in
      if not_above (raised (z middle)) bound then search middle high else search low middle
  in
  search 0 (1 lsl 37) land 0xffffffff

let constants = lazy (Array.of_list (List.map (fraction 3) (primes 64)))
let start = lazy (Array.of_list (List.map (fraction 2) (primes 8)))

let sha256 text =
  let mask = 0xffffffff in
  let constants = Lazy.force constants and hash = Array.copy (Lazy.force start) in
  let length = String.length text in
  let padded = Buffer.create (length + 72) in
  Buffer.add_string padded text;
  Buffer.add_char padded '\x80';
  while Buffer.length padded mod 64 <> 56 do Buffer.add_char padded '\x00' done;
  Buffer.add_int64_be padded (Int64.of_int (8 * length));
  let data = Buffer.contents padded in
  let turned word count = ((word lsr count) lor (word lsl (32 - count))) land mask in
  let w = Array.make 64 0 in
  for block = 0 to (String.length data / 64) - 1 do
    for place = 0 to 15 do
      w.(place) <- Int32.to_int (String.get_int32_be data ((64 * block) + (4 * place))) land mask
    done;
    for place = 16 to 63 do
      let a = w.(place - 15) and b = w.(place - 2) in
      let low = turned a 7 lxor turned a 18 lxor (a lsr 3) and high = turned b 17 lxor turned b 19 lxor (b lsr 10) in
      w.(place) <- (w.(place - 16) + low + w.(place - 7) + high) land mask
    done;
    let s = Array.copy hash in
    for place = 0 to 63 do
      let e = s.(4) and a = s.(0) in
      let chosen = (e land s.(5)) lxor (lnot e land mask land s.(6)) in
      let one = (s.(7) + (turned e 6 lxor turned e 11 lxor turned e 25) + chosen + constants.(place) + w.(place)) land mask in
      let majority = (a land s.(1)) lxor (a land s.(2)) lxor (s.(1) land s.(2)) in
      let two = (turned a 2 lxor turned a 13 lxor turned a 22) + majority in
      Array.blit s 0 s 1 7;
      s.(4) <- (s.(4) + one) land mask;
      s.(0) <- (one + two) land mask
    done;
    Array.iteri (fun place value -> hash.(place) <- (hash.(place) + value) land mask) s
  done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list hash))

(* ---- The form of values. *)

let field name = function Object fields -> List.assoc_opt name fields | _ -> None

let only_fields where names = function
  | Object fields -> require (List.map fst fields = List.sort compare names) (where ^ " has other fields")
  | _ -> require false (where ^ " is not an object")

let get given name =
  match field name given with Some value -> value | None -> raise (Answer (1, "rejected: no field " ^ name))

let most_value = (1 lsl 31) - 1

(* Numbers of more than 18 digits are above every bound. *)
let integer where least most = function
  | Number text when String.length text <= 18 && int_of_string text >= least && int_of_string text <= most -> int_of_string text
  | _ -> raise (Answer (1, Printf.sprintf "rejected: %s is not an integer from %d to %d" where least most))

let some_list where = function
  | List (_ :: _ as items) -> items
  | _ -> raise (Answer (1, "rejected: " ^ where ^ " is not a list, or is empty"))

let int_of_z value =
  let rec of_positive = function Rules.XH -> 1 | Rules.XO p -> 2 * of_positive p | Rules.XI p -> (2 * of_positive p) + 1 in
  match value with Rules.Z0 -> 0 | Rules.Zpos p -> of_positive p | Rules.Zneg p -> -of_positive p

let int_of_n = function Rules.N0 -> 0 | Rules.Npos p -> int_of_z (Rules.Zpos p)
let n_of_int n = if n = 0 then Rules.N0 else Rules.Npos (positive n)

let exact where = function
  | Number text ->
      let digits = if text.[0] = '-' then String.sub text 1 (String.length text - 1) else text in
      let value = String.fold_left (fun sum digit ->
        Rules.Z.add (Rules.Z.mul (z 10) sum) (z (Char.code digit - 48))) (z 0) digits in
      if text.[0] = '-' then Rules.Z.opp value else value
  | _ -> raise (Answer (1, "rejected: " ^ where ^ " is not an integer"))

(* ---- The tasks. A task has the alphabet of each position as (least, greatest + 1), the value of a word, and the number of
   inputs with a value, if it is known. *)

type task = { alphabets : (int * int) list; solve : int list -> int; count : int -> int option; cost : int }

let limits =
  [ ("alphabet", 1 lsl 16); ("depth", 4096); ("gram", 64); ("kinds", 1 lsl 15); ("length", 4096); ("vertices", 1024) ]

let sizes given names =
  only_fields "task" ("name" :: names) given;
  List.map (fun name -> integer name 1 (List.assoc name limits) (get given name)) names

let repeat count item = List.init count (fun _ -> item)

let rec power base exponent = if exponent = 0 then 1 else min (1 lsl 40) (base * power base (exponent - 1))

let make ?(count = fun _ -> None) ?(depth = 1) alphabets solve =
  { alphabets; solve; count; cost = (List.length alphabets + 8) * (1 + (depth / 64)) }

let rec take count list = match list with item :: rest when count > 0 -> item :: take (count - 1) rest | _ -> []
let rec drop count list = match list with _ :: rest when count > 0 -> drop (count - 1) rest | _ -> list

let index_lookup given =
  match sizes given [ "alphabet"; "length" ] with
  | [ alphabet; length ] ->
      make (repeat length (0, alphabet) @ [ (alphabet, alphabet + length) ]) (fun word ->
        List.nth word (List.nth word length - alphabet))
  | _ -> assert false

let equality equal given =
  match sizes given [ "alphabet"; "length" ] with
  | [ alphabet; length ] ->
      require (length mod 2 = 0) "length is odd";
      let half = length / 2 in
      make
        ~count:(fun value -> if value = equal then Some (power alphabet half) else None)
        (repeat length (0, alphabet))
        (fun word -> if take half word = drop half word then equal else 1 - equal)
  | _ -> assert false

let bounded_dyck given =
  match sizes given [ "depth"; "kinds"; "length" ] with
  | [ depth; kinds; length ] ->
      let after stack bracket =
        match stack with
        | None -> None
        | Some open_kinds when bracket land 1 = 1 -> (
            match open_kinds with kind :: rest when kind = bracket / 2 -> Some rest | _ -> None)
        | Some open_kinds -> if List.length open_kinds < depth then Some ((bracket / 2) :: open_kinds) else None
      in
      let count value =
        if value <> 1 then None
        else begin
          let ways = ref (Array.init (depth + 1) (fun height -> if height = 0 then 1 else 0)) in
          for _ = 1 to length do
            let at height = if height < 0 || height > depth then 0 else !ways.(height) in
            ways := Array.init (depth + 1) (fun height -> min (1 lsl 40) ((kinds * at (height - 1)) + at (height + 1)))
          done;
          Some !ways.(0)
        end
      in
      make ~count ~depth (repeat length (0, 2 * kinds)) (fun word ->
        if List.fold_left after (Some []) word = Some [] then 1 else 0)
  | _ -> assert false

let table given =
  only_fields "task" [ "name"; "alphabets"; "values" ] given;
  let counts = List.map (integer "alphabets" 1 (1 lsl 16)) (some_list "alphabets" (get given "alphabets")) in
  require (List.length counts <= 4096) "too many positions";
  let values = Array.of_list (List.map (integer "values" (-1) most_value) (some_list "values" (get given "values"))) in
  require (Array.length values = List.fold_left (fun product letters -> min (1 lsl 40) (product * letters)) 1 counts)
    "values has the wrong length";
  let count value = Array.fold_left (fun sum one -> if one = value then sum + 1 else sum) 0 values in
  make
    ~count:(fun value -> if Array.mem (-1) values then None else Some (count value))
    (List.map (fun letters -> (0, letters)) counts)
    (fun word -> values.(List.fold_left2 (fun place letter letters -> (place * letters) + letter) 0 word counts))

let is_tree given =
  match sizes given [ "vertices" ] with
  | [ vertices ] ->
      let vertex = (1, vertices + 1) in
      let edges = List.concat (repeat (vertices - 1) [ vertex; (vertices + 1, vertices + 2); vertex ]) in
      make ~depth:vertices ((0, 1) :: edges) (fun word ->
        let part = Array.init (vertices + 1) Fun.id in
        let rec join = function
          | u :: _ :: v :: rest ->
              if part.(u) = part.(v) then vertices + 2
              else begin
                let from = part.(v) and into = part.(u) in
                Array.iteri (fun place one -> if one = from then part.(place) <- into) part;
                join rest
              end
          | _ -> vertices + 3
        in
        join (List.tl word))
  | _ -> assert false

let ngram given =
  match sizes given [ "alphabet"; "gram"; "length" ] with
  | [ alphabet; gram; length ] ->
      make ((0, 1) :: repeat (length + gram - 1) (1, alphabet + 1)) (fun word ->
        let query = drop (length + 1) word and word = Array.of_list word in
        let rec find place =
          if place > length then 0
          else if Array.to_list (Array.sub word (place - gram + 1) (gram - 1)) = query then word.(place)
          else find (place + 1)
        in
        find gram)
  | _ -> assert false

let counting given =
  match sizes given [ "alphabet"; "length" ] with
  | [ alphabet; length ] ->
      make ((0, 1) :: repeat (length + 2) (1, alphabet + 1)) (fun word ->
        let symbol = List.nth word (length + 1) and least = List.nth word (length + 2) in
        let among = take length (List.tl word) in
        if List.length (List.filter (fun letter -> letter = symbol) among) >= least then 1 else 0)
  | _ -> assert false

let tasks =
  [ ("index-lookup", index_lookup); ("equality", equality 1); ("inequality", equality 0); ("bounded-dyck", bounded_dyck);
    ("table", table); ("is-tree", is_tree); ("ngram", ngram); ("counting", counting) ]

(* ---- What a theorem asks of its certificate: the type, the task, and the witness. *)

type claim = { task : task; given : json; witness : json; claims : json; alice : int list; prefix : bool }

let size claim name = integer name 1 (List.assoc name limits) (get claim.given name)
let rows claim = some_list "rows" (get claim.witness "rows")

let every_list_of_symbols claim =
  let name = get claim.given "name" in
  let free = if name = Text "equality" then size claim "length" / 2 else size claim "length" in
  claim.prefix && List.length (rows claim) = power (size claim "alphabet") free

let equal_answers_of_an_oracle claim =
  let answers = function List row -> (List.sort_uniq compare row, take 1 (drop 1 row)) | _ -> ([], []) in
  claim.prefix
  && List.length claim.alice = size claim "length"
  && List.length (List.sort_uniq compare (List.map answers (rows claim))) = 1

let every_word_of_two_kinds claim =
  size claim "kinds" = 2 && size claim "depth" = 2
  && get claim.claims "complete" = Number "1"
  && claim.alice = List.filter (fun place -> place mod 2 = 0) (List.init (size claim "length") Fun.id)

let always _ = true

let theorems =
  [ ("bounded-dyck-one-layer", ("fooling-set", [ "bounded-dyck" ], every_word_of_two_kinds));
    ("communication-cost", ("fooling-set", [], always));
    ("index-lookup-state", ("distinguishing-table", [ "index-lookup" ], every_list_of_symbols));
    ("equality-state", ("distinguishing-table", [ "equality" ], every_list_of_symbols));
    ("recall-oracle-state", ("distinguishing-table", [ "index-lookup" ], equal_answers_of_an_oracle));
    ("least-state", ("distinguishing-table", [], fun claim -> claim.prefix));
    ("one-way-cost", ("distinguishing-table", [], always));
    ("rank-cost", ("rank", [], always));
    ("one-layer-protocol", ("one-layer-message", [ "equality" ], always)) ]

(* ---- The checks: form and work here, the rest by the rules. *)

let most_work = 4_000_000
let require_work work = require_fit (work <= most_work) "too large"

let mask claim = List.mapi (fun place _ -> List.mem place claim.alice) claim.task.alphabets

let parts claim where value side =
  let alphabets = List.filteri (fun place _ -> side = None || side = Some (List.mem place claim.alice)) claim.task.alphabets in
  let letter (low, high) value =
    let letter = integer ("a word of " ^ where) 0 most_value value in
    require (low <= letter && letter < high) ("a word of " ^ where ^ " leaves the alphabet");
    z letter
  in
  List.map (function
    | List word ->
        require (List.length word = List.length alphabets) ("a word of " ^ where ^ " has the wrong length");
        List.map2 letter alphabets word
    | _ -> raise (Answer (1, "rejected: a word of " ^ where ^ " is not a list"))) (some_list where value)

let function_of claim =
  let alphabets = List.map (fun (low, high) -> (z low, z high)) claim.task.alphabets in
  (alphabets, fun word -> z (claim.task.solve (List.map int_of_z word)))

let bits count = int_of_n (Rules.claimed_bits count)
let value_and_words claim =
  (integer "value" 0 most_value (get claim.witness "value"), parts claim "words" (get claim.witness "words") None)

let fooling_set claim =
  only_fields "witness" [ "alice"; "value"; "words" ] claim.witness;
  let value, words = value_and_words claim in
  let complete = integer "complete" 0 1 (get claim.claims "complete") in
  let count = List.length words in
  let more = if complete = 1 then 64 * List.length claim.task.alphabets else count * count in
  require_work ((count + more) * claim.task.cost);
  let alphabets, f = function_of claim in
  let holds =
    if complete = 0 then Rules.fooling_rule alphabets f (mask claim) (z value) words
    else
      match claim.task.count value with
      | None -> false
      | Some known -> Rules.complete_rule alphabets f (mask claim) (z value) known words
  in
  require holds "the words are not such a fooling set";
  [ ("bits", bits count); ("complete", complete); ("size", count) ]

let distinguishing_table claim =
  only_fields "witness" [ "alice"; "columns"; "rows" ] claim.witness;
  let rows = parts claim "rows" (get claim.witness "rows") (Some true) in
  let columns = parts claim "columns" (get claim.witness "columns") (Some false) in
  let count = List.length rows in
  let is_partial = match field "values" claim.given with Some (List values) -> List.mem (Number "-1") values | _ -> false in
  let more = if is_partial then count * count * List.length columns else 0 in
  require_work ((count * List.length columns * claim.task.cost) + more);
  let alphabets, f = function_of claim in
  let holds =
    if claim.prefix then Rules.least_state_rule alphabets f (mask claim) (List.length claim.alice) rows columns
    else Rules.distinguishing_rule alphabets f (mask claim) rows columns
  in
  require holds "two rows are not distinguished";
  [ ("rows", count); ("state_bits", bits count) ]

let rank claim =
  only_fields "witness" [ "alice"; "columns"; "determinant"; "inverse"; "rows" ] claim.witness;
  let rows = parts claim "rows" (get claim.witness "rows") (Some true) in
  let columns = parts claim "columns" (get claim.witness "columns") (Some false) in
  let row = function List row -> List.map (exact "inverse") row | _ -> raise (Answer (1,
    "rejected: inverse is not a matrix")) in
  let inverse = List.map row (some_list "inverse" (get claim.witness "inverse")) in
  let count = List.length rows in
  require_work (count * count * (count + claim.task.cost));
  let alphabets, f = function_of claim in
  let determinant = exact "determinant" (get claim.witness "determinant") in
  require (Rules.rank_rule alphabets f (mask claim) rows columns inverse determinant) "the inverse is not that of the minor";
  [ ("bits", bits count); ("rank", count) ]

let one_layer_message claim =
  only_fields "witness" [ "heads"; "nearest"; "steps"; "vocabulary"; "width" ] claim.witness;
  let number name least most = integer name least most (get claim.witness name) in
  let many = 1 lsl 16 in
  let heads = number "heads" 1 many and width = number "width" 1 many and vocabulary = number "vocabulary" 1 many in
  let steps = number "steps" 2 most_value and nearest = number "nearest" 0 1 in
  let symbols = n_of_int (size claim "alphabet") and half = size claim "length" / 2 in
  require (Rules.one_layer_rule symbols half (nearest = 1) heads width vocabulary (n_of_int steps))
    "the message has bits enough";
  let message =
    Rules.message_bits_of_token (n_of_int nearest) (n_of_int (2 * half)) (n_of_int heads) (n_of_int width)
      (n_of_int vocabulary) (n_of_int steps)
  in
  [ ("bits", int_of_n (Rules.equality_bits (n_of_int (2 * half)) symbols)); ("message_bits", int_of_n message) ]

let checks =
  [ ("fooling-set", fooling_set); ("distinguishing-table", distinguishing_table); ("rank", rank);
    ("one-layer-message", one_layer_message) ]

let certificate_fields =
  [ "claims"; "digest"; "format"; "precision"; "rounding"; "task"; "theorem"; "type"; "version"; "witness" ]

let count_of characters text =
  let found = ref 0 in
  String.iter (fun character -> if String.contains characters character then incr found) text;
  !found

let check text =
  require_fit (String.length text <= most_bytes) "more than 10 MiB";
  require_fit (count_of "[{" text <= most_brackets) "too large: too many brackets";
  require_fit (count_of "\"" text <= 20_000) "too large: too many quotation marks";
  let whole = parse text in
  let fields = match whole with Object fields -> fields | _ -> [] in
  require_fit (List.map fst fields = certificate_fields) "not the fields of a certificate";
  require_fit (get whole "format" = Text "seqsep-certificate") "not a seqsep-certificate";
  require_fit (get whole "version" = Number "1") "not version 1";
  let body = Buffer.create (String.length text) in
  write body (Object (List.remove_assoc "digest" fields));
  let digest = sha256 (Buffer.contents body) in
  require (get whole "digest" = Text digest) "the digest differs";
  let title = match get whole "theorem" with Text title -> title | _ -> "" in
  let kind = match get whole "type" with Text kind -> kind | _ -> "" in
  require_fit (List.mem_assoc title theorems && List.mem_assoc kind checks) "not a theorem of this program";
  let of_theorem, allowed, besides = List.assoc title theorems in
  require (kind = of_theorem) "not the type of this theorem";
  let given = get whole "task" and witness = get whole "witness" and claims = get whole "claims" in
  let name = match field "name" given with Some (Text name) -> name | _ -> "" in
  require (allowed = [] || List.mem name allowed) "not a task of this theorem";
  require (get whole "rounding" = Text "none" && get whole "precision" = Number "0") "not a rounding or precision of this type";
  require_fit (List.mem_assoc name tasks) "not a task of this program";
  let task = (List.assoc name tasks) given in
  let places = List.length task.alphabets in
  let alice =
    match field "alice" witness with
    | None when kind = "one-layer-message" -> []
    | Some (List places_of_alice) -> List.map (integer "alice" 0 (places - 1)) places_of_alice
    | _ -> raise (Answer (1, "rejected: alice is not a list"))
  in
  require (List.sort_uniq compare alice = alice) "alice is not ascending positions";
  let prefix = alice = List.init (List.length alice) Fun.id in
  let claim = { task; given; witness; claims; alice; prefix } in
  let found = (List.assoc kind checks) claim in
  only_fields "claims" (List.map fst found) claims;
  List.iter (fun (name, value) ->
    require (get claims name = Number (string_of_int value)) (Printf.sprintf "claims: %s: found %d" name value)) found;
  require (besides claim) "not what the theorem is about";
  let facts = String.concat ", " (List.map (fun (name, value) -> Printf.sprintf "%s %d" name value) found) in
  let all = if List.length alice = places then ", answer read from the state" else "" in
  Printf.sprintf "holds: %s: %s: %s%s; sha256 %s" title name facts all digest

let answer text =
  match check text with
  | line -> (0, line)
  | exception Answer (status, line) -> (status, line)
  | exception Stack_overflow -> (2, "unfit: too large")

let read name =
  let channel = open_in_bin name in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
    let text = Buffer.create 65536 in
    (try Buffer.add_channel text channel (most_bytes + 1) with End_of_file -> ());
    Buffer.contents text)

(* With --many, each line of standard input is a file's name, and each gets a line with its status and answer. *)
let () =
  match Array.to_list Sys.argv with
  | [ _; "--many" ] ->
      (try
         while true do
           let status, line = answer (read (input_line stdin)) in
           Printf.printf "%d %s\n" status line
         done
       with End_of_file -> ())
  | [ _; name ] ->
      let status, line = try answer (read name) with Sys_error why -> (2, "unfit: " ^ why) in
      print_endline line;
      exit status
  | _ ->
      print_endline "usage: seqsep-check-verified FILE";
      exit 2
