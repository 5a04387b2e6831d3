! Layers of a mesh; each refinement keeps the one before.
module mesh
  implicit none
  type :: layer
    real(8), allocatable :: values(:, :)
  end type
  type(layer), save :: layers(300)
  integer :: count = 0
contains
  subroutine add_layer(n)
    integer, intent(in) :: n
    count = count + 1
    allocate(layers(count)%values(n, n)) ! guilty
    layers(count)%values = count
  end subroutine
  subroutine smooth()
    real(8), allocatable :: copy(:, :)
    copy = layers(count)%values * 0.5d0
    layers(count)%values = copy
  end subroutine
end module

program solve
  use mesh
  implicit none
  integer :: i
  real(8), allocatable :: names(:)
  allocate(names(10000))
  names = 0
  do i = 1, 200
    call add_layer(200)
    call smooth()
  end do
  print *, layers(3)%values(1, 1), names(1)
end program
