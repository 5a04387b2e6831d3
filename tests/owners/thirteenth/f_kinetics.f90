! Kinetics of a flame in a stirred reactor: species, reactions, an adaptive step, rates by temperature, and yields over conditions.
module chemistry
    implicit none
    integer, parameter :: dp = kind(1.0d0), species = 24, reactions = 60

    type :: reaction
        integer :: from(2), to(2)
        real(dp) :: factor, energy
    end type reaction

    type :: state
        real(dp) :: time, temperature
        real(dp) :: amount(species)
        type(state), pointer :: earlier => null()
    end type state

    type :: run_result
        type(state), pointer :: last => null()
        integer :: steps = 0, rejected = 0
        real(dp) :: yield = 0
    end type run_result

    type(reaction) :: mechanism(reactions)

contains

    subroutine make_mechanism(seed)
        integer, intent(inout) :: seed
        integer :: i, k
        do i = 1, reactions
            do k = 1, 2
                mechanism(i)%from(k) = 1 + next(seed, species)
                mechanism(i)%to(k) = 1 + next(seed, species)
            end do
            mechanism(i)%factor = 0.5_dp + real(next(seed, 400), dp) / 40
            mechanism(i)%energy = 400 + real(next(seed, 3000), dp)
        end do
    end subroutine make_mechanism

    integer function next(seed, below)
        integer, intent(inout) :: seed
        integer, intent(in) :: below
        seed = iand(seed * 1103 + 12345, 1048575)
        next = mod(seed / 8, below)
    end function next

    function rates(amount, temperature) result(change)
        real(dp), intent(in) :: amount(species), temperature
        real(dp) :: change(species), flow
        integer :: i
        change = 0
        do i = 1, reactions
            associate (r => mechanism(i))
                flow = r%factor * exp(-r%energy / temperature) * amount(r%from(1)) * amount(r%from(2))
                change(r%from(1)) = change(r%from(1)) - flow
                change(r%from(2)) = change(r%from(2)) - flow
                change(r%to(1)) = change(r%to(1)) + flow
                change(r%to(2)) = change(r%to(2)) + flow
            end associate
        end do
    end function rates

    ! One step of second order, with the difference to the first as its error.
    subroutine try_step(amount, temperature, step, after, error)
        real(dp), intent(in) :: amount(species), temperature, step
        real(dp), intent(out) :: after(species), error
        real(dp) :: first(species), second(species)
        first = rates(amount, temperature)
        second = rates(amount + step * first, temperature)
        after = amount + step * (first + second) / 2
        error = maxval(abs(second - first)) * step / 2
    end subroutine try_step

    subroutine record(outcome, time, temperature, amount)
        type(run_result), intent(inout) :: outcome
        real(dp), intent(in) :: time, temperature, amount(species)
        type(state), pointer :: now
        allocate (now) ! guilty
        now%time = time
        now%temperature = temperature
        now%amount = amount
        now%earlier => outcome%last
        outcome%last => now
        outcome%steps = outcome%steps + 1
    end subroutine record

    subroutine react(outcome, hot, until)
        type(run_result), intent(inout) :: outcome
        real(dp), intent(in) :: hot, until
        real(dp) :: amount(species), after(species), time, step, error, temperature
        amount = 0.02_dp
        amount(1:4) = 1
        time = 0
        step = 1.0e-4_dp
        temperature = hot
        do while (time < until)
            call try_step(amount, temperature, step, after, error)
            if (error > 2.0e-6_dp) then
                step = step * 0.6_dp
                outcome%rejected = outcome%rejected + 1
                cycle
            end if
            amount = max(after, 0.0_dp)
            time = time + step
            temperature = hot + 200 * (1 - exp(-time)) - 20 * amount(1)
            step = min(step * 1.15_dp, 0.01_dp)
            call record(outcome, time, temperature, amount)
        end do
        outcome%yield = amount(species) / sum(amount)
    end subroutine react

    real(dp) function time_of_half(outcome)
        type(run_result), intent(in) :: outcome
        type(state), pointer :: at
        time_of_half = 0
        at => outcome%last
        do while (associated(at))
            if (at%amount(1) > 0.5_dp) then
                time_of_half = at%time
                return
            end if
            at => at%earlier
        end do
    end function time_of_half

end module chemistry

program kinetics
    use chemistry
    implicit none
    integer, parameter :: conditions = 90
    type(run_result), allocatable :: outcomes(:)
    real(dp), allocatable :: halves(:)
    integer :: i, seed, best

    seed = 4711
    call make_mechanism(seed)
    allocate (outcomes(conditions), halves(conditions))
    do i = 1, conditions
        call react(outcomes(i), 700.0_dp + 10 * i, 3.0_dp)
        halves(i) = time_of_half(outcomes(i))
    end do
    best = maxloc(outcomes%yield, 1)
    print '(a, i0, a, i0)', 'steps: ', sum(outcomes%steps), ', rejected: ', sum(outcomes%rejected)
    print '(a, f7.1, a, f8.5, a, f7.4)', 'best at ', 700.0_dp + 10 * best, ' K with a yield of ', &
        outcomes(best)%yield, ', half time ', halves(best)
end program kinetics
