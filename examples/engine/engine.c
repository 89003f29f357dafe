/* An inference engine that answers JSON lines, written from docs/reference/engine-protocol.md.

   The model is a recurrence that also reads the token before, in double precision. `./engine FAULT` has one fault.
   Prompts share prefixes: after each BLOCK tokens, the states of prompts are kept and used for later prompts. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 5, VOCABULARY = 11, LONGEST = 64, SLOTS = 16, ROWS = 8, KEPT = 256, BLOCK = 4, NONE = -1 };
enum { LINE = 1 << 20 };

typedef struct {
  int used, count;
  int tokens[LONGEST];
  double h[LONGEST + 1][WIDTH]; /* after each token, so that tokens can be cut off */
} State;

static State slots[SLOTS + 1], kept[KEPT];
static int kept_count;
static const char *fault = "";

static int has(const char *name) { return !strcmp(fault, name); }

static double weight(int kind, int row, int column) { return 1.3 * sin(37.0 * kind + 5.1 * row + 11.7 * column * (row + 1)); }

/* ---- the model ---- */

static void step(State *state, int token, int sees_before) {
  int before = state->count && sees_before ? state->tokens[state->count - 1] : NONE;
  const double *h = state->h[state->count];
  double *next = state->h[state->count + 1];
  for (int i = 0; i < WIDTH; i++) {
    double sum = weight(1, token, i) + (before == NONE ? 0.5 : 0.7 * weight(2, before, i));
    for (int j = 0; j < WIDTH; j++) sum += 0.6 * weight(3, i, j) * h[j];
    next[i] = tanh(sum);
  }
  state->tokens[state->count++] = token;
}

static void logits_of(const State *state, int after, double *logits) {
  for (int v = 0; v < VOCABULARY; v++) {
    logits[v] = 0;
    for (int i = 0; i < WIDTH; i++) logits[v] += weight(4, v, i) * state->h[after][i];
    if (has("noise")) logits[v] += 1e-6 * rand() / RAND_MAX;
  }
}

static int new_slot(void) {
  for (int i = 1; i <= SLOTS; i++)
    if (!slots[i].used || (has("shared-state") && i == 1)) {
      slots[i] = (State){.used = 1};
      return i;
    }
  return 0;
}

/* ---- prefixes that prompts share ---- */

static void from_kept(State *state, const int *tokens, int count) {
  for (int k = 0; k < kept_count; k++) {
    int n = kept[k].count;
    int same = has("stale-prefix") ? kept[k].tokens[n - 1] == tokens[n - 1] : !memcmp(kept[k].tokens, tokens, n * sizeof(int));
    if (n <= count && n > state->count && same) {
      *state = kept[k];
      state->used = 1;
    }
  }
}

static void keep(const State *state) {
  if (state->count % BLOCK == 0) {
    kept[kept_count % KEPT] = *state;
    if (kept_count < KEPT - 1) kept_count++;
  }
}

/* ---- requests: keys are found by name, numbers are read in order ---- */

static const char *find(const char *line, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = strstr(line, quoted);
  return at ? at + strlen(quoted) : NULL;
}

static long number(const char *line, const char *key) {
  const char *at = find(line, key);
  return at ? strtol(at, NULL, 10) : 0;
}

/* Reads [1, null, 2] from the bracket on; null is NONE. */
static const char *read_list(const char *at, int *values, int *count) {
  *count = 0;
  for (at++; *at && *at != ']'; at++) {
    if (*at == 'n') values[(*count)++] = NONE, at += 3;
    else if (isdigit((unsigned char)*at)) values[(*count)++] = strtol(at, (char **)&at, 10), at--;
    if (*count >= LONGEST) break;
  }
  return at + 1;
}

/* ---- answers ---- */

static void print_row(const State *state, int after) {
  double logits[VOCABULARY];
  logits_of(state, after, logits);
  for (int v = 0; v < VOCABULARY; v++) {
    if (!isfinite(logits[v]) || (has("nan") && v == 3)) printf("%snull", v ? ", " : "[");
    else printf("%s%.17g", v ? ", " : "[", logits[v]);
  }
  printf("]");
}

static void print_rows(const State *state, int first, int end) {
  printf("[");
  for (int after = first; after <= end; after++) {
    if (after > first) printf(", ");
    print_row(state, has("future") && after == first && end > first ? end : after);
  }
  printf("]");
}

static void read_tokens(State *state, const int *tokens, int count, int is_prompt) {
  if (is_prompt) from_kept(state, tokens, count);
  for (int t = state->count * is_prompt; t < count; t++) {
    step(state, tokens[t], is_prompt || t || count == 1 || !has("window-lost"));
    if (is_prompt) keep(state);
  }
}

static void answer_read(long id, int slot, const int *tokens, int count, int is_prompt) {
  State *state = &slots[slot];
  int first = state->count + 1;
  read_tokens(state, tokens, count, is_prompt);
  printf("{\"id\": %ld, \"logits\": ", id);
  print_rows(state, is_prompt ? 1 : first, state->count);
  printf(", \"state\": %d}\n", slot);
}

static void lose_token(State *state) { /* the recurrence forgets the last token that it has read */
  memcpy(state->h[state->count], state->h[state->count - 1], sizeof state->h[0]);
}

static void answer_batch(long id, const char *line) {
  int tokens[ROWS][LONGEST], counts[ROWS], states[ROWS], firsts[ROWS], rows = 0, given, longest = 0;
  const char *at = find(line, "tokens");
  for (at++; *at == '[' || *at == ',' || *at == ' ';)
    if (*at == '[') at = read_list(at, tokens[rows], &counts[rows]), rows++;
    else at++;
  read_list(find(line, "states"), states, &given);
  for (int r = 0; r < rows; r++) longest = counts[r] > longest ? counts[r] : longest;
  for (int r = 0; r < rows; r++) {
    int is_new = states[r] == NONE;
    if (is_new) states[r] = new_slot();
    State *state = &slots[states[r]];
    if (is_new && has("padding-in-state"))
      for (int pad = counts[r]; pad < longest; pad++) step(state, 0, 1);
    if (is_new && r && has("documents-run-on")) *state = slots[states[r - 1]];
    if (!is_new && counts[r] > 1 && has("chunk-of-batch")) lose_token(state);
    firsts[r] = state->count + 1;
    read_tokens(state, tokens[r], counts[r], 0);
  }
  if (has("rows-swapped") && rows > 1 && longest == 1) {
    State other = slots[states[0]];
    slots[states[0]] = slots[states[1]];
    slots[states[1]] = other;
  }
  printf("{\"id\": %ld, \"logits\": [", id);
  for (int r = 0; r < rows; r++) {
    if (r) printf(", ");
    print_rows(&slots[states[r]], firsts[r], slots[states[r]].count);
  }
  printf("], \"states\": [");
  for (int r = 0; r < rows; r++) printf("%s%d", r ? ", " : "", states[r]);
  printf("]}\n");
}

static void answer_generate(long id, const int *tokens, int count, int new_tokens) {
  State state = {.used = 1};
  int written[LONGEST];
  read_tokens(&state, tokens, count, 0);
  if (has("generate-forgets")) lose_token(&state);
  printf("{\"id\": %ld, \"logits\": [", id);
  for (int t = 0; t < new_tokens; t++) {
    double logits[VOCABULARY];
    logits_of(&state, state.count, logits);
    written[t] = 0;
    for (int v = 1; v < VOCABULARY; v++)
      if (logits[v] > logits[written[t]]) written[t] = v;
    if (t) printf(", ");
    print_row(&state, state.count);
    step(&state, written[t], 1);
  }
  printf("], \"tokens\": [");
  for (int t = 0; t < new_tokens; t++) printf("%s%d", t ? ", " : "", written[t]);
  printf("]}\n");
}

/* ---- bytes in base64 ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void answer_save(long id, const State *state) {
  State copy = *state;
  if (has("saved-as-float"))
    for (int i = 0; i < WIDTH; i++) copy.h[copy.count][i] = (float)copy.h[copy.count][i];
  const unsigned char *bytes = (const unsigned char *)&copy;
  printf("{\"id\": %ld, \"data\": \"", id);
  for (size_t i = 0; i < sizeof(State); i += 3) {
    size_t left = sizeof(State) - i;
    unsigned bits = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    putchar(digits[bits >> 18]), putchar(digits[bits >> 12 & 63]);
    putchar(left > 1 ? digits[bits >> 6 & 63] : '='), putchar(left > 2 ? digits[bits & 63] : '=');
  }
  printf("\"}\n");
}

static void load(State *state, const char *text) {
  unsigned char *bytes = (unsigned char *)state;
  size_t done = 0;
  unsigned bits = 0, have = 0;
  for (text++; *text && *text != '"' && *text != '=' && done < sizeof(State); text++) {
    bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
    have += 6;
    if (have >= 8) bytes[done++] = bits >> (have -= 8);
  }
}

/* ---- one request ---- */

static void answer(const char *line) {
  long id = number(line, "id"), slot = number(line, "state"), count = number(line, "count");
  char method[16] = "";
  int tokens[LONGEST], length = 0;
  sscanf(find(line, "method") ? find(line, "method") : "", "\"%15[a-z]", method);
  if (!strcmp(method, "describe")) {
    printf("{\"id\": %ld, \"vocabulary\": %d, \"dtype\": \"float64\", \"name\": \"engine.c\", \"methods\": [", id, VOCABULARY);
    printf("\"prefill\", \"decode\", \"extend\", \"batch\", \"fork\", \"save\", \"load\", \"crop\", \"reset\", ");
    printf("\"generate\", \"free\"]}\n");
    return;
  }
  if (!strcmp(method, "batch")) {
    answer_batch(id, line);
    return;
  }
  if (slot < 0 || slot > SLOTS || (find(line, "state") && !slots[slot].used)) {
    printf("{\"id\": %ld, \"error\": \"no state %ld\"}\n", id, slot);
    return;
  }
  State *state = &slots[slot];
  if (find(line, "tokens")) read_list(find(line, "tokens"), tokens, &length);
  if (!strcmp(method, "prefill")) {
    slot = new_slot();
    if (slot) answer_read(id, slot, tokens, length, 1);
    else printf("{\"id\": %ld, \"error\": \"all %d slots are used\"}\n", id, SLOTS);
  } else if (!strcmp(method, "decode")) {
    int token = number(line, "token");
    if (has("decode-behind") && state->count) token = state->tokens[state->count - 1];
    answer_read(id, slot, &token, 1, 0);
  } else if (!strcmp(method, "extend")) {
    if (has("crash")) abort();
    if (has("token-lost")) lose_token(state);
    answer_read(id, slot, tokens, length, 0);
  } else if (!strcmp(method, "fork")) {
    if (has("hang")) sleep(1000);
    int other = has("fork-is-same") ? slot : new_slot();
    if (other) slots[other] = *state;
    printf("{\"id\": %ld, \"state\": %d}\n", id, other);
  } else if (!strcmp(method, "save")) {
    answer_save(id, state);
  } else if (!strcmp(method, "load")) {
    slot = new_slot();
    load(&slots[slot], find(line, "data"));
    printf("{\"id\": %ld, \"state\": %ld}\n", id, slot);
  } else if (!strcmp(method, "crop")) {
    if (has("crop-refused")) {
      printf("{\"id\": %ld, \"unsupported\": \"a recurrence cannot be cut\"}\n", id);
      return;
    }
    if (has("draft-stays")) memcpy(state->h[state->count - count], state->h[state->count], sizeof state->h[0]);
    state->count -= count;
    printf("{\"id\": %ld, \"state\": %ld}\n", id, slot);
  } else if (!strcmp(method, "reset")) {
    if (has("reset-keeps")) memcpy(state->h[0], state->h[state->count], sizeof state->h[0]);
    state->count = 0;
    printf("{\"id\": %ld, \"state\": %ld}\n", id, slot);
  } else if (!strcmp(method, "generate")) {
    answer_generate(id, tokens, length, count);
  } else if (!strcmp(method, "free")) {
    state->used = 0;
    printf("{\"id\": %ld}\n", id);
  } else {
    printf("{\"id\": %ld, \"error\": \"no method %s\"}\n", id, method);
  }
}

int main(int count, char **words) {
  static char line[LINE];
  if (count > 1) fault = words[1];
  while (fgets(line, sizeof line, stdin)) {
    if (has("log-on-stdout")) printf("slot 1 is idle\n");
    answer(line);
    fflush(stdout);
  }
  return 0;
}
