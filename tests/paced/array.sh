#!/usr/bin/env bash
# bash: an array that is made anew each time, and after PACE_HEALTHY_S seconds one that only grows. As pace.h says.
# shellcheck disable=SC2034 # nobody reads them
rest=rest-of-$(printf '%0900d' 0)
begin=$((${EPOCHREALTIME/./} + PACE_HEALTHY_S * 1000000))
calls=0
kept=()

answer_requests() {
    local answers=() i
    for ((i = 0; i < 50; i++)); do answers[i]=answer-$i-$rest; done
}

exec 3<> <(:)
while now=${EPOCHREALTIME/./} && [ "$now" -lt $((begin + PACE_LEAKING_S * 1000000)) ]; do
    if [ "$now" -gt "$begin" ]; then
        [ $calls -gt 0 ] || echo "${now:0:10}.${now:10}" >onset
        for (( ; calls < (now - begin) * PACE_RATE / 1000000; calls++)); do kept[calls]=kept-$calls-$rest; done
    fi
    answer_requests
    read -rt 0.05 <&3
done
