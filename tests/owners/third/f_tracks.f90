! Particles through a detector: the points of each way are kept in a list that grows through a procedure for all lists.
module lists
  implicit none
  interface reserve
    module procedure reserve_points, reserve_numbers
  end interface
  type :: point
    real(8) :: x, y, z, energy
  end type
contains
  subroutine reserve_points(list, used)
    type(point), allocatable, intent(inout) :: list(:)
    integer, intent(in) :: used
    type(point), allocatable :: bigger(:)
    if (.not. allocated(list)) allocate(list(16))
    if (used < size(list)) return
    allocate(bigger(2 * size(list)))
    bigger(:used) = list(:used)
    call move_alloc(bigger, list)
  end subroutine

  subroutine reserve_numbers(list, used)
    integer, allocatable, intent(inout) :: list(:)
    integer, intent(in) :: used
    integer, allocatable :: bigger(:)
    if (.not. allocated(list)) allocate(list(16))
    if (used < size(list)) return
    allocate(bigger(2 * size(list)))
    bigger(:used) = list(:used)
    call move_alloc(bigger, list)
  end subroutine
end module

module detector
  use lists
  implicit none
  type :: track
    type(point), allocatable :: points(:)
    integer :: used = 0
  end type
  type :: run_type
    type(track), allocatable :: tracks(:)
    integer, allocatable :: hits(:)
    integer :: used = 0
  end type
contains
  subroutine record_point(way, at)
    type(track), intent(inout) :: way
    type(point), intent(in) :: at
    call reserve(way%points, way%used) ! guilty
    way%used = way%used + 1
    way%points(way%used) = at
  end subroutine

  subroutine count_hit(run, number)
    type(run_type), intent(inout) :: run
    integer, intent(in) :: number
    if (mod(number, 50) /= 0) return
    call reserve(run%hits, run%used)
    run%used = run%used + 1
    run%hits(run%used) = number
  end subroutine

  subroutine follow(run, number)
    type(run_type), intent(inout) :: run
    integer, intent(in) :: number
    type(point) :: at
    real(8), allocatable :: field(:)
    integer :: step
    allocate(field(1000))
    field = number * 1.0d-3
    at = point(0, 0, 0, 100)
    do step = 1, 200
      at%x = at%x + field(step)
      at%y = at%y - field(step + 1) * 0.5d0
      at%energy = at%energy * 0.99d0
      call record_point(run%tracks(number), at)
      call count_hit(run, step * number)
    end do
    deallocate(field)
  end subroutine
end module

program simulate
  use detector
  implicit none
  type(run_type) :: run
  integer :: number
  allocate(run%tracks(6000))
  do number = 1, 6000
    call follow(run, number)
  end do
  print *, run%tracks(10)%points(3)%x, run%used
end program
