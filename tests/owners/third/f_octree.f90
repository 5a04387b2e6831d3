! Stars that attract each other: a tree of cells is built for each step, and that of the step before is not given back.
module trees
  implicit none
  type :: cell_pointer
    type(cell), pointer :: p => null()
  end type
  type :: cell
    real(8) :: middle(3) = 0, width = 1, mass = 0, moment(9) = 0
    integer :: body = 0
    type(cell_pointer) :: children(8)
  contains
    procedure :: insert => cell_insert
    procedure :: octant => cell_octant
  end type
contains
  pure integer function cell_octant(self, at)
    class(cell), intent(in) :: self
    real(8), intent(in) :: at(3)
    cell_octant = 1 + sum(merge([1, 2, 4], [0, 0, 0], at > self%middle))
  end function

  recursive subroutine cell_insert(self, body, positions)
    class(cell), intent(inout) :: self
    integer, intent(in) :: body
    real(8), intent(in) :: positions(:, :)
    type(cell), pointer :: child
    integer :: k, old
    self%mass = self%mass + 1
    if (self%mass < 1.5d0) then
      self%body = body
      return
    end if
    old = self%body
    self%body = 0
    if (old /= 0 .and. self%width > 1.0d-4) call put(old)
    call put(body)
  contains
    subroutine put(which)
      integer, intent(in) :: which
      k = self%octant(positions(:, which))
      if (.not. associated(self%children(k)%p)) then
        allocate(child) ! guilty
        child%width = self%width / 2
        child%middle = self%middle + sign(child%width / 2, positions(:, which) - self%middle)
        self%children(k)%p => child
      end if
      call self%children(k)%p%insert(which, positions)
    end subroutine
  end subroutine
end module

module stars
  use trees
  implicit none
  real(8), allocatable :: positions(:, :), speeds(:, :)
  type(cell), pointer :: root => null()
contains
  subroutine prepare(n)
    integer, intent(in) :: n
    allocate(positions(3, n), speeds(3, n))
    call random_number(positions)
    positions = positions - 0.5d0
    speeds = -positions * 0.01d0
  end subroutine

  subroutine build_tree()
    integer :: i
    nullify(root)
    allocate(root)
    do i = 1, size(positions, 2)
      call root%insert(i, positions)
    end do
  end subroutine

  subroutine move()
    real(8), allocatable :: forces(:, :)
    forces = -positions * root%mass * 1.0d-6
    speeds = speeds + forces
    positions = positions + speeds
  end subroutine
end module

program galaxy
  use stars
  implicit none
  integer :: step
  call random_seed(put=[(step, step = 1, 33)])
  call prepare(2000)
  do step = 1, 60
    call build_tree()
    call move()
  end do
  print *, root%mass, positions(1, 1)
end program
