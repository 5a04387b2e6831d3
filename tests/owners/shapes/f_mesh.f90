module mesh
  implicit none
  type cell
    real, allocatable :: values(:)
    type(cell), pointer :: next => null()
  end type
  type(cell), pointer :: first => null()
contains
  function refined(n) result(values)
    integer, intent(in) :: n
    real, allocatable :: values(:)
    integer :: i
    allocate(values(200 + mod(n, 50)))
    do i = 1, size(values)
      values(i) = real(i * n)
    end do
  end function
  subroutine link(values)
    real, intent(in) :: values(:)
    type(cell), pointer :: c
    allocate(c)
    c%values = values ! guilty
    c%next => first
    first => c
  end subroutine
  real function error_of(n)
    integer, intent(in) :: n
    real, allocatable :: v(:)
    v = refined(n)
    error_of = sum(v) / size(v)
  end function
end module
program main
  use mesh
  implicit none
  integer :: n
  real :: total
  total = 0
  do n = 1, 30000
    if (error_of(n) > 10) call link(refined(n))
    total = total + 1
  end do
  print *, total
end program
