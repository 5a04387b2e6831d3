! Allocatable arrays of a derived type.
module grids
  implicit none
  type :: grid
    real, allocatable :: cells(:)
  end type grid
  type(grid), save :: all(40000)
  real, allocatable, save :: mask(:)
contains
  subroutine refine_grid(number)
    integer, intent(in) :: number
    allocate (all(number)%cells(400))   ! guilty
    all(number)%cells = real(number)
  end subroutine refine_grid

  subroutine read_mask
    allocate (mask(500000))
    mask = 0.0
  end subroutine read_mask
end module grids

program solver
  use grids
  implicit none
  integer :: i
  call read_mask
  do i = 1, 40000
    call refine_grid(i)
  end do
end program solver
