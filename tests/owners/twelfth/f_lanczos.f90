! The lowest vibrations of plates with different supports, by the method of Lanczos.
module plates
  implicit none
  integer, parameter :: dp = kind(1.0d0)

  type :: plate
    integer :: side
    real(dp) :: spring
    real(dp), allocatable :: stiffness(:)
  end type plate

  type :: krylov_vector
    real(dp), allocatable :: values(:)
    type(krylov_vector), pointer :: previous => null()
  end type krylov_vector

  type :: krylov_basis
    type(krylov_vector), pointer :: last => null()
    integer :: length = 0
  end type krylov_basis

contains

  subroutine make_plate(p, side, spring)
    type(plate), intent(out) :: p
    integer, intent(in) :: side
    real(dp), intent(in) :: spring
    integer :: i
    p%side = side
    p%spring = spring
    allocate (p%stiffness(side*side))
    do i = 1, side*side
      p%stiffness(i) = 4.0_dp + spring*(1.0_dp + sin(0.37_dp*i))
    end do
  end subroutine make_plate

  ! The five-point stencil with springs below it.
  subroutine multiply(p, x, y)
    type(plate), intent(in) :: p
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    integer :: i, j, k, n
    n = p%side
    do j = 1, n
      do i = 1, n
        k = (j - 1)*n + i
        y(k) = p%stiffness(k)*x(k)
        if (i > 1) y(k) = y(k) - x(k - 1)
        if (i < n) y(k) = y(k) - x(k + 1)
        if (j > 1) y(k) = y(k) - x(k - n)
        if (j < n) y(k) = y(k) - x(k + n)
      end do
    end do
  end subroutine multiply

  subroutine extend_basis(basis, x)
    type(krylov_basis), intent(inout) :: basis
    real(dp), intent(in) :: x(:)
    type(krylov_vector), pointer :: v
    allocate (v)
    allocate (v%values(size(x)))   ! guilty
    v%values = x
    v%previous => basis%last
    basis%last => v
    basis%length = basis%length + 1
  end subroutine extend_basis

  subroutine orthogonalise(basis, x)
    type(krylov_basis), intent(in) :: basis
    real(dp), intent(inout) :: x(:)
    type(krylov_vector), pointer :: v
    v => basis%last
    do while (associated(v))
      x = x - dot_product(v%values, x)*v%values
      v => v%previous
    end do
  end subroutine orthogonalise

  ! The lowest eigenvalue of a tridiagonal matrix, by bisection.
  function lowest(alpha, beta, n) result(value)
    integer, intent(in) :: n
    real(dp), intent(in) :: alpha(n), beta(n)
    real(dp) :: value, low, high, d
    integer :: step, i, below
    real(dp), allocatable :: off(:)
    allocate (off(n))
    off = beta**2
    low = minval(alpha) - 2.0_dp*maxval(abs(beta))
    high = maxval(alpha)
    do step = 1, 60
      value = 0.5_dp*(low + high)
      below = 0
      d = 1.0_dp
      do i = 1, n
        d = alpha(i) - value - merge(off(max(i - 1, 1))/d, 0.0_dp, i > 1)
        if (abs(d) < 1.0e-300_dp) d = 1.0e-300_dp
        if (d < 0.0_dp) below = below + 1
      end do
      if (below > 0) then
        high = value
      else
        low = value
      end if
    end do
    deallocate (off)
  end function lowest

  function frequency(p, steps) result(omega)
    type(plate), intent(in) :: p
    integer, intent(in) :: steps
    real(dp) :: omega
    type(krylov_basis) :: basis
    real(dp), allocatable :: x(:), y(:), alpha(:), beta(:)
    integer :: k, n
    n = p%side*p%side
    allocate (x(n), y(n), alpha(steps), beta(steps))
    do k = 1, n
      x(k) = 1.0_dp + 0.3_dp*cos(1.7_dp*k)
    end do
    x = x/norm2(x)
    beta = 0.0_dp
    do k = 1, steps
      call extend_basis(basis, x)
      call multiply(p, x, y)
      alpha(k) = dot_product(x, y)
      call orthogonalise(basis, y)
      beta(k) = norm2(y)
      x = y/beta(k)
    end do
    omega = sqrt(max(lowest(alpha, beta, steps), 0.0_dp))
    deallocate (x, y, alpha, beta)
  end function frequency

end module plates

program lanczos
  use plates
  implicit none
  type(plate) :: p
  real(dp), allocatable :: omegas(:)
  integer :: variant
  allocate (omegas(36))
  do variant = 1, size(omegas)
    call make_plate(p, 56, 0.02_dp*variant)
    omegas(variant) = frequency(p, 34)
    deallocate (p%stiffness)
  end do
  print '(a, i0, a, f8.5, a, f8.5)', 'plates ', size(omegas), ', from ', omegas(1), ' to ', omegas(size(omegas))
  deallocate (omegas)
end program lanczos
