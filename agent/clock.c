#include "clock.h"

struct hf_clock hf_clock;
