! A model of the air over one sphere; means are taken, and fields are written now and then.
module grid
  implicit none
  integer, parameter :: dp = kind(1.0d0), nx = 144, ny = 90
  type field
    character(len=16) :: name
    real(dp), allocatable :: values(:, :)
  end type field
contains
  pure function smoothed(a) result(b)
    real(dp), intent(in) :: a(:, :)
    real(dp), allocatable :: b(:, :)
    b = a + 0.1_dp * (cshift(a, 1, 1) + cshift(a, -1, 1) - 2 * a)
  end function smoothed

  subroutine zonal(a, rows)
    real(dp), intent(in) :: a(:, :)
    real(dp), allocatable, intent(out) :: rows(:)
    allocate (rows(size(a, 2)))
    rows = sum(a, 1) / size(a, 1)
  end subroutine zonal

  subroutine copy_field(from, to)
    type(field), intent(in) :: from
    type(field), intent(out) :: to
    to%name = from%name
    to%values = from%values
  end subroutine copy_field
end module grid

module model
  use grid
  implicit none
  type snapshot
    integer :: step = 0
    type(field) :: temperature
    type(snapshot), pointer :: before => null()
  end type snapshot
  type(snapshot), pointer :: checkpoints => null()
contains
  subroutine start(t, q)
    type(field), intent(out) :: t, q
    integer :: i, j
    t%name = 'temperature'
    q%name = 'humidity'
    allocate (t%values(nx, ny), q%values(nx, ny))
    do j = 1, ny
      do i = 1, nx
        t%values(i, j) = 288 - 40 * (real(j, dp) / ny - 0.5_dp)**2 + mod(i * j, 7)
        q%values(i, j) = 0.01_dp * mod(i + j, 11)
      end do
    end do
  end subroutine start

  subroutine advance(t, q)
    type(field), intent(inout) :: t, q
    real(dp), allocatable :: rows(:)
    integer :: j
    t%values = smoothed(t%values)
    q%values = smoothed(q%values)
    call zonal(t%values, rows)
    do j = 1, ny
      t%values(:, j) = t%values(:, j) + 1.0e-3_dp * (rows(j) - t%values(:, j))
    end do
  end subroutine advance

  ! For a restart; the newest would do.
  subroutine checkpoint(step, t)
    integer, intent(in) :: step
    type(field), intent(in) :: t
    type(snapshot), pointer :: s
    allocate (s)
    s%step = step
    call copy_field(t, s%temperature) ! guilty
    s%before => checkpoints
    checkpoints => s
  end subroutine checkpoint

  subroutine write_means(step, t, q)
    integer, intent(in) :: step
    type(field), intent(in) :: t, q
    type(field) :: sum_of
    call copy_field(t, sum_of)
    sum_of%values = sum_of%values * (1 + q%values)
    if (mod(step, 1000) == 0) write (*, '(i6, f12.4)') step, sum(sum_of%values) / size(sum_of%values)
  end subroutine write_means
end module model

program climate
  use model
  implicit none
  type(field) :: t, q
  integer :: step
  call start(t, q)
  call checkpoint(0, t)
  do step = 1, 3000
    call advance(t, q)
    if (mod(step, 10) == 0) call write_means(step, t, q)
    if (mod(step, 8) == 0) call checkpoint(step, t)
  end do
  print '(a, i0)', 'the last is of step ', checkpoints%step
end program climate
