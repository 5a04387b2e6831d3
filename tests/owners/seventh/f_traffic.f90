! Cars on a ring of roads: they leave in their turn, drive from link to link, and arrive.
module network
  implicit none
  integer, parameter :: dp = kind(1.0d0), links = 60
  real(dp) :: length(links), flow(links)
contains
  subroutine build()
    integer :: i
    do i = 1, links
      length(i) = 200 + 15 * mod(i * 7, 11)
    end do
    flow = 0
  end subroutine build

  pure real(dp) function speed(link)
    integer, intent(in) :: link
    speed = 14 / (1 + flow(link) / length(link))
  end function speed
end module network

module cars
  use network
  implicit none
  type leg
    integer :: link
    real(dp) :: entered, left
  end type leg
  type car
    integer :: id = 0, at = 1, target = 1
    real(dp) :: covered = 0
    type(leg), allocatable :: legs(:)
    integer :: count = 0
    type(car), pointer :: next => null()
  end type car
  type(car), pointer :: driving => null(), arrived => null()
contains
  function new_car(id) result(c)
    integer, intent(in) :: id
    type(car), pointer :: c
    allocate (c)
    c%id = id
    c%at = 1 + mod(id * 13, links)
    c%target = 1 + mod(c%at + 12 + mod(id, 17), links)
  end function new_car

  subroutine depart(id)
    integer, intent(in) :: id
    type(car), pointer :: c
    c => new_car(id)
    flow(c%at) = flow(c%at) + 1
    c%next => driving
    driving => c
  end subroutine depart

  ! How each car came through, of which a mean is all that is written at the end.
  subroutine note_leg(c, now)
    type(car), intent(inout) :: c
    real(dp), intent(in) :: now
    type(leg), allocatable :: more(:)
    if (.not. allocated(c%legs)) allocate (c%legs(0))
    if (c%count == size(c%legs)) then
      allocate (more(c%count + 16)) ! guilty
      more(:c%count) = c%legs
      call move_alloc(more, c%legs)
    end if
    c%count = c%count + 1
    c%legs(c%count) = leg(c%at, now - length(c%at) / speed(c%at), now)
  end subroutine note_leg

  subroutine move_all(now, dt)
    real(dp), intent(in) :: now, dt
    type(car), pointer :: c, next, rest
    real(dp), allocatable :: speeds(:)
    integer :: i
    allocate (speeds(links))
    speeds = [(speed(i), i=1, links)]
    nullify (rest)
    c => driving
    do while (associated(c))
      next => c%next
      c%covered = c%covered + dt * speeds(c%at)
      if (c%covered >= length(c%at)) call enter_next(c, now)
      if (c%at == c%target) then
        flow(c%at) = flow(c%at) - 1
        c%next => arrived
        arrived => c
      else
        c%next => rest
        rest => c
      end if
      c => next
    end do
    driving => rest
  end subroutine move_all

  subroutine enter_next(c, now)
    type(car), intent(inout) :: c
    real(dp), intent(in) :: now
    call note_leg(c, now)
    flow(c%at) = flow(c%at) - 1
    c%at = 1 + mod(c%at, links)
    flow(c%at) = flow(c%at) + 1
    c%covered = 0
  end subroutine enter_next

  real(dp) function mean_legs()
    type(car), pointer :: c
    integer :: n, sum_of
    n = 0
    sum_of = 0
    c => arrived
    do while (associated(c))
      n = n + 1
      sum_of = sum_of + c%count
      c => c%next
    end do
    mean_legs = real(sum_of, dp) / max(n, 1)
  end function mean_legs
end module cars

program traffic
  use cars
  implicit none
  integer :: step, id
  real(dp), parameter :: dt = 1
  call build()
  id = 0
  do step = 1, 200000
    if (mod(step, 50) < 6) then
      id = id + 1
      call depart(id)
      id = id + 1
      call depart(id)
    end if
    call move_all(step * dt, dt)
  end do
  print '(i0, a, f6.2, a)', id, ' cars, ', mean_legs(), ' legs each'
end program traffic
