#include "MillraceThread.h"
