! Seismic waves in a plane: shots are fired one after another, a wave is propagated through a model of the ground, receivers
! write what they hear, and snapshots of the wave are there for the picture of a shot.
module ground
  implicit none
  integer, parameter :: nx = 90, nz = 70
  real, allocatable :: velocity(:, :), damping(:, :), table(:, :, :)

contains

  subroutine read_ground()
    integer :: i, j, k
    allocate (velocity(nx, nz), damping(nx, nz), table(nx, nz, 150))
    do j = 1, nz
      do i = 1, nx
        velocity(i, j) = 1500.0 + 18.0 * real(j) + 40.0 * sin(real(i) / 9.0)
        damping(i, j) = 1.0 - 0.002 * real(max(0, 10 - min(i, j, nx - i, nz - j)))
        do k = 1, size(table, 3)
          table(i, j, k) = velocity(i, j) * real(k)
        end do
      end do
    end do
  end subroutine read_ground
end module ground

module waves
  use ground
  implicit none

  type :: snapshot
    integer :: shot = 0, step = 0
    real :: strongest = 0.0
    real, allocatable :: pressure(:, :)
    type(snapshot), pointer :: previous => null()
  end type snapshot

  type :: trace
    real, allocatable :: samples(:)
  end type trace

  type(snapshot), pointer :: newest => null()
  integer :: snapshots = 0

contains

  subroutine copy_field(from, to)
    real, intent(in) :: from(:, :)
    real, allocatable, intent(out) :: to(:, :)
    integer :: i, j
    allocate (to(size(from, 1), size(from, 2)))
    do j = 1, size(from, 2)
      do i = 1, size(from, 1)
        to(i, j) = from(i, j)
      end do
    end do
  end subroutine copy_field

  subroutine store_snapshot(shot, step, pressure)
    integer, intent(in) :: shot, step
    real, intent(in) :: pressure(:, :)
    type(snapshot), pointer :: item
    allocate (item)
    item%shot = shot
    item%step = step
    item%strongest = maxval(abs(pressure))
    call copy_field(pressure, item%pressure) ! guilty
    item%previous => newest
    newest => item
    snapshots = snapshots + 1
  end subroutine store_snapshot

  subroutine advance(old, now, next)
    real, intent(in) :: old(:, :), now(:, :)
    real, intent(inout) :: next(:, :)
    real, parameter :: dt = 0.0008, dx = 5.0
    integer :: i, j
    real :: courant
    do j = 2, nz - 1
      do i = 2, nx - 1
        courant = (velocity(i, j) * dt / dx)**2
        next(i, j) = damping(i, j) * (2.0 * now(i, j) - old(i, j) + courant &
          * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0 * now(i, j)))
      end do
    end do
  end subroutine advance

  subroutine fire(shot, steps, traces)
    integer, intent(in) :: shot, steps
    type(trace), intent(inout) :: traces(:)
    real, allocatable :: old(:, :), now(:, :), next(:, :)
    integer :: step, r
    allocate (old(nx, nz), now(nx, nz), next(nx, nz))
    old = 0.0
    now = 0.0
    next = 0.0
    do step = 1, steps
      if (step < 30) now(5 + shot * 2, 5) = now(5 + shot * 2, 5) + ricker(step)
      call advance(old, now, next)
      do r = 1, size(traces)
        traces(r)%samples(step) = now(1 + r, 3)
      end do
      if (mod(step, 5) == 0) call store_snapshot(shot, step, now)
      old = now
      now = next
    end do
  end subroutine fire

  real function ricker(step)
    integer, intent(in) :: step
    real :: x
    x = (real(step) - 15.0) / 6.0
    ricker = (1.0 - 2.0 * x * x) * exp(-x * x)
  end function ricker

  real function picture(shot)
    integer, intent(in) :: shot
    type(snapshot), pointer :: at
    picture = 0.0
    at => newest
    do while (associated(at))
      if (at%shot == shot .and. at%step == 100) picture = at%strongest + sum(abs(at%pressure))
      at => at%previous
    end do
  end function picture
end module waves

program seismic
  use ground
  use waves
  implicit none
  integer, parameter :: shots = 30, steps = 250, receivers = 60
  type(trace) :: traces(receivers)
  integer :: shot, r
  real :: heard

  call read_ground()
  do r = 1, receivers
    allocate (traces(r)%samples(steps))
  end do
  heard = 0.0
  do shot = 1, shots
    call fire(shot, steps, traces)
    do r = 1, receivers
      heard = heard + sum(abs(traces(r)%samples))
    end do
  end do
  print '(i0, a, f0.3, a, f0.3)', snapshots, ' snapshots, heard ', heard, ', first shot ', picture(1)
end program seismic
