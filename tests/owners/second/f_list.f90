! A list of particles that are never removed.
module particles
  implicit none
  type :: particle
    real(8) :: state(100)
    type(particle), pointer :: next => null()
  end type
  type(particle), pointer :: first => null()
  integer, allocatable :: cells(:)
contains
  subroutine prepare()
    allocate(cells(200000))
    cells = 0
  end subroutine
  subroutine emit(number)
    integer, intent(in) :: number
    type(particle), pointer :: p
    allocate(p) ! guilty
    p%state = number
    p%next => first
    first => p
  end subroutine
end module

program simulate
  use particles
  implicit none
  integer :: i
  call prepare()
  do i = 1, 60000
    call emit(i)
  end do
  print *, first%state(1), cells(1)
end program
