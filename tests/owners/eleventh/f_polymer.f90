! A chain of beads on springs in a bath: Langevin dynamics, with a picture of the chain taken every few steps.
module chain_state
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type frame
    integer :: step
    real(dp), allocatable :: positions(:, :)
    type(frame), pointer :: previous => null()
  end type frame
  type(frame), pointer :: last_frame => null()
  integer :: frames = 0
contains
  subroutine start_chain(positions, velocities)
    real(dp), intent(out) :: positions(:, :), velocities(:, :)
    integer :: i
    velocities = 0
    do i = 1, size(positions, 2)
      positions(:, i) = [real(i, dp), 0.1_dp * mod(i, 3), 0.1_dp * mod(i, 5)]
    end do
  end subroutine start_chain

  subroutine add_springs(positions, forces, bond)
    real(dp), intent(in) :: positions(:, :), bond
    real(dp), intent(inout) :: forces(:, :)
    real(dp) :: apart(3), length
    integer :: i
    do i = 1, size(positions, 2) - 1
      apart = positions(:, i + 1) - positions(:, i)
      length = sqrt(sum(apart**2))
      forces(:, i) = forces(:, i) + 40 * (length - bond) / length * apart
      forces(:, i + 1) = forces(:, i + 1) - 40 * (length - bond) / length * apart
    end do
  end subroutine add_springs

  subroutine add_repulsion(positions, forces)
    real(dp), intent(in) :: positions(:, :)
    real(dp), intent(inout) :: forces(:, :)
    real(dp) :: apart(3), square
    integer :: i, j
    do i = 1, size(positions, 2)
      do j = i + 2, min(i + 12, size(positions, 2))
        apart = positions(:, j) - positions(:, i)
        square = sum(apart**2)
        if (square < 1) then
          forces(:, i) = forces(:, i) - 10 * (1 - square) * apart
          forces(:, j) = forces(:, j) + 10 * (1 - square) * apart
        end if
      end do
    end do
  end subroutine add_repulsion

  subroutine advance(positions, velocities, dt)
    real(dp), intent(inout) :: positions(:, :), velocities(:, :)
    real(dp), intent(in) :: dt
    real(dp), allocatable :: forces(:, :), kicks(:, :)
    allocate (forces(3, size(positions, 2)), kicks(3, size(positions, 2)))
    forces = 0
    call add_springs(positions, forces, 1.0_dp)
    call add_repulsion(positions, forces)
    call random_number(kicks)
    velocities = velocities * (1 - 0.5_dp * dt) + forces * dt + (kicks - 0.5_dp) * sqrt(dt)
    positions = positions + velocities * dt
    deallocate (forces, kicks)
  end subroutine advance

  subroutine record_frame(step, positions)
    integer, intent(in) :: step
    real(dp), intent(in) :: positions(:, :)
    type(frame), pointer :: new
    allocate (new)
    allocate (new%positions(3, size(positions, 2))) ! guilty
    new%step = step
    new%positions = positions
    new%previous => last_frame
    last_frame => new
    frames = frames + 1
  end subroutine record_frame

  function gyration(positions) result(radius)
    real(dp), intent(in) :: positions(:, :)
    real(dp), allocatable :: centred(:, :)
    real(dp) :: radius
    integer :: i
    allocate (centred, source=positions)
    do i = 1, 3
      centred(i, :) = positions(i, :) - sum(positions(i, :)) / size(positions, 2)
    end do
    radius = sqrt(sum(centred**2) / size(positions, 2))
  end function gyration

  ! The mean radius of the last pictures.
  function recent_radius(most) result(radius)
    integer, intent(in) :: most
    type(frame), pointer :: at
    real(dp) :: radius
    integer :: n
    radius = 0
    n = 0
    at => last_frame
    do while (associated(at) .and. n < most)
      radius = radius + gyration(at%positions)
      n = n + 1
      at => at%previous
    end do
    radius = radius / max(n, 1)
  end function recent_radius
end module chain_state

program polymer
  use chain_state
  implicit none
  real(dp), allocatable :: positions(:, :), velocities(:, :)
  integer :: step
  allocate (positions(3, 400), velocities(3, 400))
  call start_chain(positions, velocities)
  do step = 1, 24000
    call advance(positions, velocities, 0.005_dp)
    if (mod(step, 6) == 0) call record_frame(step, positions)
    if (mod(step, 6000) == 0) print '(i7, f10.3)', step, recent_radius(50)
  end do
  print '(i7, a)', frames, ' pictures'
end program polymer
