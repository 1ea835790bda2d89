/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The networks that bench-delay measures delay control in, and what it asks of each. */
#pragma once

#include "virtual-bottleneck.h"

#define DELAY_MOST_CELLS 256
#define DELAY_MOST_GOALS 6
#define DELAY_CELL_NAME_SIZE 32

typedef enum
{
  RATE,
  USE,
  P50,
  P95,
  HELD50,
  HELD95,
  HELD99,
  COV,
  LOSS,
  SHARE,
  START,
  THIRD,
  ABOVE,
  BACK,
  DROPS,
  AWAY,
  N_FIGURES,
} Figure;

typedef enum
{
  NO_GOAL,
  AT_LEAST,
  AT_MOST,
  BESIDE_PLAIN, /* of shares beside TCP, see holds_share () */
  OF_PLAIN,     /* at least that part of what plain TFRC has */
} GoalKind;

typedef struct
{
  Figure figure;
  GoalKind kind;
  double value;
} Goal;

typedef struct
{
  char name[DELAY_CELL_NAME_SIZE];
  double mbit;
  unsigned queue_ms;
  unsigned rtt_ms;  /* 0: 50 */
  unsigned seconds; /* 0: 60 */
  unsigned from;    /* measures begin [s]; 0: 10 */
  unsigned flows;   /* 0: 1 */
  unsigned tcp;     /* of these, the last ones */
  unsigned late;    /* the last flow begins [s] */
  void (*change) (BottleneckConfig *config);
  void (*also) (BottleneckConfig *config);
  void (*manage_queue) (BottleneckConfig *config); /* NULL: drop-tail */
  unsigned detour_ms; /* that the route takes more between the events */
  unsigned event;     /* [s]; 0 = none */
  unsigned second;    /* event [s] */
  Goal goals[DELAY_MOST_GOALS];
} Cell;

/* Those with a name of their own, and TFRC beside TCP by kind, number, rate, queue
 * and who is first.  Returns how many there are. */
unsigned delay_cells_list (Cell cells[DELAY_MOST_CELLS]);
