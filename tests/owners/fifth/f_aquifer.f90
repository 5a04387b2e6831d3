! Water below a valley: the head of ground water by relaxation, and wells that are looked at.
module grids
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nx = 120, ny = 90

  type :: sample
    integer :: step = 0
    real(dp), allocatable :: window(:, :)
  end type sample

  type :: well
    integer :: i = 0, j = 0
    real(dp) :: pumped = 0
    integer :: n = 0
    type(sample), allocatable :: samples(:)
  end type well

contains

  ! The part of a grid around a place, in a new array; ierr is not 0 if there is none.
  subroutine cut_out(h, i, j, r, part, ierr)
    real(dp), intent(in) :: h(:, :)
    integer, intent(in) :: i, j, r
    real(dp), allocatable, intent(out) :: part(:, :)
    integer, intent(out) :: ierr
    integer :: i0, i1, j0, j1
    ierr = 0
    i0 = max(1, i - r); i1 = min(size(h, 1), i + r)
    j0 = max(1, j - r); j1 = min(size(h, 2), j + r)
    if (i1 < i0 .or. j1 < j0) then
      ierr = 1
      return
    end if
    allocate (part(i0:i1, j0:j1), stat=ierr)
    if (ierr == 0) part = h(i0:i1, j0:j1)
  end subroutine cut_out

end module grids

module wells
  use grids
  implicit none
contains

  subroutine drill(w, i, j)
    type(well), intent(inout) :: w
    integer, intent(in) :: i, j
    w%i = i
    w%j = j
    allocate (w%samples(2000))
  end subroutine drill

  ! Only the mean is printed, but each sample stays.
  subroutine look(w, h, step, mean)
    type(well), intent(inout) :: w
    real(dp), intent(in) :: h(:, :)
    integer, intent(in) :: step
    real(dp), intent(out) :: mean
    integer :: ierr
    w%n = w%n + 1
    w%samples(w%n)%step = step
    call cut_out(h, w%i, w%j, 10, w%samples(w%n)%window, ierr) ! guilty
    if (ierr /= 0) stop 'no such place'
    mean = sum(w%samples(w%n)%window) / size(w%samples(w%n)%window)
  end subroutine look

  function drawdown(w, h) result(d)
    type(well), intent(in) :: w
    real(dp), intent(in) :: h(:, :)
    real(dp) :: d
    real(dp), allocatable :: part(:, :)
    integer :: ierr
    call cut_out(h, w%i, w%j, 3, part, ierr)
    d = 0
    if (ierr == 0) d = maxval(part) - minval(part)
  end function drawdown

end module wells

program aquifer
  use wells
  implicit none
  real(dp), allocatable :: h(:, :), old(:, :), k(:, :)
  type(well) :: all(12)
  real(dp) :: mean, total, deepest
  integer :: step, i, j, n

  allocate (h(nx, ny), old(nx, ny), k(nx, ny))
  do j = 1, ny
    do i = 1, nx
      h(i, j) = 50 + 0.05_dp * i
      k(i, j) = 1 + 0.5_dp * sin(0.1_dp * i) * cos(0.2_dp * j)
    end do
  end do
  do n = 1, size(all)
    call drill(all(n), 9 * n, 7 * n)
  end do
  total = 0
  deepest = 0
  do step = 1, 900
    old = h
    do j = 2, ny - 1
      do i = 2, nx - 1
        h(i, j) = old(i, j) + 0.1_dp * k(i, j) * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4 * old(i, j))
      end do
    end do
    do n = 1, size(all)
      h(all(n)%i, all(n)%j) = h(all(n)%i, all(n)%j) - 0.01_dp * n
      all(n)%pumped = all(n)%pumped + 0.01_dp * n
      call look(all(n), h, step, mean)
      total = total + mean
      deepest = max(deepest, drawdown(all(n), h))
    end do
  end do
  print '(a, f12.3, a, f8.4)', 'mean ', total / (900 * size(all)), ', deepest ', deepest
end program aquifer
